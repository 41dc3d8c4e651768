import type { LogprobEntry } from '../../../chat/output/logprob-entries.ts';
import { hasMedia } from '../../../chat/templates/content-kinds.ts';
import { isChat } from '../../../chat/types.ts';
import { isNeutral } from '../../../engine/sampling/is-neutral.ts';
import { scoresBody } from '../engine/sequence-body.ts';
import type { Asking } from './asking.ts';
import { logprobsOfTokens } from './prompt-entries.ts';
import { sentTop } from './request-body.ts';

/** Whether the server sends the logprobs that the model has given the tokens. */
export function hasModelLogprobs({ plan, can, request: { body } }: Pick<Asking, 'plan' | 'can' | 'request'>): boolean {
  if (plan.isConstrained) return false; // they are those among the allowed tokens
  const isUnchanged = body.use_beam_search || isNeutral(plan.parameters, body.bad_words);
  return can.logprobs === 'raw' || (can.logprobs === 'processed' && isUnchanged);
}

/**
 * The logprobs of a finished answer from a request that has it in its prompt. Null if they cannot be had, as after images: the ids of a
 * prompt say nothing without them.
 */
export async function lateLogprobs(
  { servers, request: { body }, plan, can, ask }: Asking,
  promptIds: readonly number[],
  ids: readonly number[],
): Promise<LogprobEntry[] | null> {
  const hasImages = isChat(body) && body.messages.some(hasMedia);
  if (!can.promptLogprobs || hasImages || ids.length === 0) return null;
  const all = [...promptIds, ...ids];
  const scoring = { cacheSalt: body.cache_salt ?? '', priority: body.priority };
  const asked = ask(scoresBody(scoring, all, sentTop(plan.topLogprobs!)));
  try {
    const { choices } = await servers.completeWhole(asked);
    return logprobsOfTokens(choices[0]?.prompt_logprobs ?? null, all, {
      from: promptIds.length,
      top: plan.topLogprobs!,
      asIds: body.return_tokens_as_token_ids === true,
    });
  } catch {
    asked.signal.throwIfAborted();
    return null; // the answer is complete without them
  }
}
