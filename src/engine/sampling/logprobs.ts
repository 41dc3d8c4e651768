import { topIds } from './select.ts';

export type RankedLogprob = { id: number; logprob: number; rank: number };

/** What is reported about one position: its token and the most likely ones, best first. */
export type PositionLogprobs = { token: RankedLogprob; top: RankedLogprob[] };

/** The lowest logprob that is reported: JSON has no −∞. */
export const logprobMin = -9999;

/** Log of the sum of the exponentials; −∞ when every logit is. */
export function logSumExp(logits_V: Float32Array): number {
  let largest = -Infinity;
  for (let id = 0; id < logits_V.length; id++) if (logits_V[id]! > largest) largest = logits_V[id]!;
  if (largest === -Infinity) return -Infinity;
  let sum = 0;
  for (let id = 0; id < logits_V.length; id++) sum += Math.exp(logits_V[id]! - largest);
  return largest + Math.log(sum);
}

/**
 * Logprobs from raw logits. Rank counts the tokens at least as likely, so the best alone is 1 and a tie counts against.
 * `top` is how many alternatives are wanted, −1 for the whole vocabulary. `normaliser` is the logits' `logSumExp` where
 * it is already known.
 */
export function logprobsAt(
  logits_V: Float32Array,
  id: number,
  top: number,
  normaliser = logSumExp(logits_V),
): PositionLogprobs {
  const logprobOf = (token: number) => Math.max(logits_V[token]! - normaliser, logprobMin) || 0;
  const ids = topIds(logits_V, top === -1 ? logits_V.length : top);
  return {
    token: { id, logprob: logprobOf(id), rank: rankOf(logits_V, id) },
    top: ids.map((token, index) => ({ id: token, logprob: logprobOf(token), rank: index + 1 })),
  };
}

/** `prompt_logprobs` of one position: its token first, then the best others. */
export function promptLogprobsAt(logits_V: Float32Array, id: number, top: number): RankedLogprob[] {
  const { token, top: best } = logprobsAt(logits_V, id, top);
  return [token, ...best.filter((other) => other.id !== id)];
}

function rankOf(logits_V: Float32Array, id: number): number {
  const chosen = logits_V[id]!;
  let rank = 0;
  for (let other = 0; other < logits_V.length; other++) if (logits_V[other]! >= chosen) rank++;
  return rank;
}
