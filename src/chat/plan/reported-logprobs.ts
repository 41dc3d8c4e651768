import type { ChatRequest } from '../../contract/chat/request.ts';
import { BadRequest } from '../bad-request.ts';
import type { ChatGenerationRequest, ChatLimits } from '../types.ts';

/** How many alternatives are reported with each token; null: not even the token's own logprob. */
export function topLogprobsOf(
  { body, keepsLogprobs }: ChatGenerationRequest,
  { logprobsMax }: ChatLimits,
  vocabSize: number,
): number | null {
  if (!body.logprobs) return keepsLogprobs ? 0 : null;
  checkLogprobLimits({ top_logprobs: body.top_logprobs }, logprobsMax);
  return alternatives(body.top_logprobs ?? 0, vocabSize);
}

/** With `echo` the prompt's logprobs are reported like the answer's. A stream has no place for them. */
export function promptLogprobsOf(body: ChatRequest, { logprobsMax }: ChatLimits, vocabSize: number): number | null {
  checkLogprobLimits({ prompt_logprobs: body.prompt_logprobs }, logprobsMax);
  if (body.stream) return null;
  const wanted = body.prompt_logprobs ?? (body.echo ? (body.top_logprobs ?? 0) : null);
  return wanted === null ? null : alternatives(wanted, vocabSize);
}

/** −1 means the whole vocabulary. */
function alternatives(wanted: number, vocabSize: number): number {
  return wanted === -1 ? vocabSize : Math.min(wanted, vocabSize);
}

/** Checks the number of alternatives. −1 requests the whole vocabulary, or allows it in the setting. */
export function checkLogprobLimits(
  fields: { top_logprobs?: number | null; prompt_logprobs?: number | null },
  logprobsMax = 20,
): void {
  for (const name of ['top_logprobs', 'prompt_logprobs'] as const) {
    const wanted = fields[name] ?? 0;
    if (logprobsMax === -1 || (wanted >= 0 && wanted <= logprobsMax)) continue;
    throw new BadRequest(`${name} must be at most ${logprobsMax}, got ${wanted === -1 ? 'all (-1)' : wanted}.`, name);
  }
}
