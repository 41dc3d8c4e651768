import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { projectParams } from '../project.ts';
import { bool, float, int, optional, text } from '../wire.ts';
import { group } from './query.ts';

const callsMax = 1000;

export const lineageVerify = defineEndpoint({
  method: 'POST',
  path: '/v2/{entity}/{project}/lineage/verify',
  group,
  name: 'Lineage Verify',
  description:
    "Computes recorded answers of heddle's own engine again, and compares them with what was recorded, one JSON object a line. The digests of " +
    'weights, adapter, tokenizer and chat template are compared with the files first. `identical`: the same tokens were drawn again, with the same logprobs. ' +
    '`consistent`: they were not, but the model predicts the recorded tokens with logprobs within 0.001 of the recorded ones. `different`: ' +
    'it does not. `cannot`: for the `reason` and `message`. `is_promised` says whether the record promises `identical`. Name `model` to ask ' +
    'another one than that which answered. At most 1,000 calls, or the `last` newest answers of the project.',
  params: projectParams,
  body: z
    .object({
      call_ids: optional(z.array(text()).max(callsMax)),
      last: optional(int().pipe(z.number().min(1).max(callsMax))),
      model: optional(text()),
    })
    .refine(({ call_ids, last }) => (call_ids === null) !== (last === null), {
      error: 'Value error, give either call_ids or last',
      params: { type: 'value_error' },
    })
    .meta({ id: 'LineageVerifyReq' }),
  answer: {
    kind: 'lines',
    mediaType: 'application/jsonl',
    schema: z
      .object({
        call_id: z.string(),
        result: z.enum(['identical', 'consistent', 'different', 'cannot']),
        is_promised: bool().nullable(),
        tokens: int().nullable(),
        first_difference: z
          .object({ choice: int(), token: int() })
          .meta({ id: 'LineageTokenPlace', description: 'Both from 0.' })
          .nullable(),
        logprob_difference: float().nullable(),
        reason: z
          .enum([
            ...(['not_found', 'no_record', 'provider', 'vllm', 'beams'] as const),
            ...(['files_missing', 'digest', 'engine', 'unavailable'] as const),
          ])
          .nullable(),
        message: z.string().nullable(),
        digests: z.array(
          z
            .object({
              file: z.enum(['weights', 'adapter', 'tokenizer', 'template']),
              names: z.array(z.string()),
              recorded: z.string(),
              found: z.string().nullable(),
            })
            .meta({ id: 'LineageDigestFault', description: 'Files whose SHA-256 is not the recorded one.' }),
        ),
      })
      .meta({ id: 'LineageVerifyRes' }),
  },
});
