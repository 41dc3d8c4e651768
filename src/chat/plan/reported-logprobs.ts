import type { ChatRequest } from '../../contract/chat/request.ts';
import { checkLogprobLimits } from './logprob-limits.ts';
import type { GenerateRequest, InferenceLimits } from '../types.ts';

/** How many alternatives are told with each token; null: not even the token's own logprob. */
export function topLogprobsOf(
  { body, keepsLogprobs }: GenerateRequest,
  { logprobsMax }: InferenceLimits,
  vocabSize: number,
): number | null {
  if (!body.logprobs) return keepsLogprobs ? 0 : null;
  checkLogprobLimits({ top_logprobs: body.top_logprobs }, logprobsMax);
  return alternatives(body.top_logprobs ?? 0, vocabSize);
}

/** With `echo` the prompt's logprobs are told as the answer's are. A stream has no place for them. */
export function promptLogprobsOf(
  body: ChatRequest,
  { logprobsMax }: InferenceLimits,
  vocabSize: number,
): number | null {
  checkLogprobLimits({ prompt_logprobs: body.prompt_logprobs }, logprobsMax);
  if (body.stream) return null;
  const wanted = body.prompt_logprobs ?? (body.echo ? (body.top_logprobs ?? 0) : null);
  return wanted === null ? null : alternatives(wanted, vocabSize);
}

/** −1 asks for the whole vocabulary, and there is nothing beyond it. */
function alternatives(wanted: number, vocabSize: number): number {
  return wanted === -1 ? vocabSize : Math.min(wanted, vocabSize);
}
