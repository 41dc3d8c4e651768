import type { ChatRequest } from '../../contract/chat/request.ts';
import { invalidInput } from '../../util/failures.ts';
import { type ChatLimits, isChat, type TextGenerationRequest, type TextRequest } from '../types.ts';

/** How many alternatives to report with each token; null: not even the token's own logprob. */
export function topLogprobsOf(
  { body, keepsLogprobs }: TextGenerationRequest,
  { logprobsMax }: ChatLimits,
  vocabSize: number,
): number | null {
  const wanted = wantedLogprobs(body);
  if (wanted === null) return keepsLogprobs ? 0 : null;
  checkLogprobLimits(isChat(body) ? { top_logprobs: wanted } : { logprobs: wanted }, logprobsMax);
  return alternatives(wanted, vocabSize);
}

/**
 * With `echo`, the prompt's logprobs are reported like the answer's. Chunks of a chat have no field for them.
 * @returns for the prompt as a whole, and for the tokens that are echoed
 */
export function promptLogprobsOf(
  body: ChatRequest | TextRequest,
  { logprobsMax }: ChatLimits,
  vocabSize: number,
): { prompt: number | null; echoed: number | null } {
  checkLogprobLimits({ prompt_logprobs: body.prompt_logprobs }, logprobsMax);
  const count = (wanted: number | null) => (wanted === null ? null : alternatives(wanted, vocabSize));
  if (isChat(body)) {
    const wanted = body.prompt_logprobs ?? (body.echo ? (body.top_logprobs ?? 0) : null);
    return { prompt: body.stream ? null : count(wanted), echoed: null };
  }
  return { prompt: body.stream ? null : count(body.prompt_logprobs), echoed: body.echo ? count(body.logprobs) : null };
}

function wantedLogprobs(body: ChatRequest | TextRequest): number | null {
  if (!isChat(body)) return body.logprobs;
  return body.logprobs ? (body.top_logprobs ?? 0) : null;
}

/** −1 means the whole vocabulary. */
function alternatives(wanted: number, vocabSize: number): number {
  return wanted === -1 ? vocabSize : Math.min(wanted, vocabSize);
}

/** Checks the number of alternatives. −1 requests the whole vocabulary, or allows it in the setting. */
export function checkLogprobLimits(
  fields: { top_logprobs?: number | null; logprobs?: number | null; prompt_logprobs?: number | null },
  logprobsMax = 20,
): void {
  for (const name of ['top_logprobs', 'logprobs', 'prompt_logprobs'] as const) {
    const wanted = fields[name] ?? 0;
    if (logprobsMax === -1 || (wanted >= 0 && wanted <= logprobsMax)) continue;
    throw invalidInput(`${name} must be at most ${logprobsMax}, got ${wanted === -1 ? 'all (-1)' : wanted}.`, {
      param: name,
    });
  }
}
