import { z } from 'zod';
import { binary, defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';
import { id, promised, seqId, tinker } from './shared.ts';

const tensor = z.object({
  data: z.array(z.number()),
  dtype: z.enum(['float32', 'int64']).nullish(),
  shape: optional(z.array(int())),
  sparse_crow_indices: optional(z.array(int())),
  sparse_col_indices: optional(z.array(int())),
});

/** Only tokens are supported. */
export const modelInput = z.object({
  chunks: z.array(z.object({ type: z.literal('encoded_text').default('encoded_text'), tokens: z.array(int()) })),
});

const input = z.object({
  data: z.array(z.object({ model_input: modelInput, loss_fn_inputs: z.record(z.string(), tensor).default({}) })),
  loss_fn: z.string(),
  loss_fn_config: optional(z.record(z.string(), z.union([z.number(), z.string()]))),
});

/** In JSON, as older clients send it. Newer ones send protobuf. */
export const passBody = z
  .object({
    model_id: id,
    seq_id: seqId,
    forward_backward_input: optional(input),
    forward_input: optional(input),
  })
  .refine(({ forward_backward_input, forward_input }) => forward_backward_input ?? forward_input, {
    error: 'Field required: forward_backward_input, or forward_input for a forward pass',
    path: ['forward_backward_input'],
    params: { type: 'missing' },
  });

export type PassBody = z.output<typeof passBody>;
export type WireTensor = z.output<typeof tensor>;

const pass = {
  ...tinker,
  method: 'POST',
  takesData: true,
  takesTrajectories: true,
  bytes: ['application/x-protobuf', 'application/json'],
  body: binary(),
  answer: promised,
} as const;

export const tinkerForwardBackward = defineEndpoint({
  ...pass,
  path: '/api/v1/forward_backward',
  name: 'Train Tinker Model',
  description:
    'Computes a loss and adds its gradient to those of the next optimizer step. The loss is the sum over all tokens. Losses: ' +
    '`cross_entropy`, `importance_sampling`, `ppo`, `cispo`, `dro` and `gspo`. With `forward_only`, nothing is trained.',
});

export const tinkerForward = defineEndpoint({
  ...pass,
  path: '/api/v1/forward',
  name: 'Score With Tinker Model',
  description: 'Computes a loss without training.',
});
