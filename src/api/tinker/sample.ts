import type { Context } from '../../context.ts';
import type { tinkerSample as endpoint } from '../../contract/tinker/sample.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { digestOf } from '../../tinker/tinker.ts';
import { invalidInput } from '../../util/failures.ts';

export function tinkerSample({ tinker, config }: Pick<Context, 'tinker' | 'config'>): Handler<typeof endpoint> {
  return async ({ body, caller, raw }) => {
    if (body.sampling_session_id === null)
      throw invalidInput('sampling_session_id is missing: create a sampling session first.');
    refuseUnsupported(body);
    const prompt = body.prompt.chunks.flatMap(({ tokens }) => tokens);
    check('num_samples', body.num_samples, 1, config.chatChoicesMax);
    if (prompt.length === 0) throw invalidInput('prompt has no tokens.', { param: 'prompt' });
    const { stop, seed, max_tokens: maxTokens, temperature, top_k: topK, top_p: topP } = body.sampling_params;
    const lastN = body.prompt_logprobs_last_n;
    if (lastN !== null) check('prompt_logprobs_last_n', lastN, 1, Math.max(1, prompt.length - 1));
    const request = {
      ...{ prompt, samples: body.num_samples, maxTokens, seed, temperature, topK, topP },
      stop: typeof stop === 'string' ? [stop] : stop,
      promptLogprobs: body.prompt_logprobs ?? false,
      promptLogprobsLastN: lastN,
      promptTop: body.topk_prompt_logprobs,
      sampledTop: body.topk_sample_logprobs,
    };
    const bytes = raw.body as Buffer;
    const { requestId, sequenceIds } = tinker.sample(
      caller,
      tinker.sessions.sampler(caller, body.sampling_session_id),
      request,
      {
        ...{ seqId: body.seq_id, digest: digestOf(bytes), body: bytes },
      },
    );
    return { request_id: requestId, sample_sequence_ids: sequenceIds };
  };
}

function refuseUnsupported(body: Input<typeof endpoint>['body']): void {
  const unsupported = {
    record_stability_info: body.record_stability_info === true,
    prompt_alt_tokens_k: body.prompt_alt_tokens_k !== 0,
    target_prompt_logprobs: body.target_prompt_logprobs !== null,
  };
  const [field] = Object.entries(unsupported).find(([, isAsked]) => isAsked) ?? [];
  if (field) throw invalidInput(`${field} is not supported.`, { param: field });
}

function check(field: string, value: number, least: number, most: number): void {
  if (value < least || value > most)
    throw invalidInput(`${field} is ${value}; expected a number from ${least} to ${most}.`, { param: field });
}
