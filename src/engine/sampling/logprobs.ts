import { topIds } from './select.ts';

export type RankedLogprob = { id: number; logprob: number; rank: number };

/** The reported logprobs of a position: its token, and the most likely ones, best first. */
export type PositionLogprobs = { token: RankedLogprob; top: RankedLogprob[] };

/** The lowest reported logprob, because JSON has no −∞. */
export const logprobMin = -9999;

/** The logarithm of the sum of exponentials; −∞ if all logits are −∞. */
export function logSumExp(logits_V: Float32Array): number {
  let largest = -Infinity;
  for (let id = 0; id < logits_V.length; id++) if (logits_V[id]! > largest) largest = logits_V[id]!;
  if (largest === -Infinity) return -Infinity;
  let sum = 0;
  for (let id = 0; id < logits_V.length; id++) sum += Math.exp(logits_V[id]! - largest);
  return largest + Math.log(sum);
}

/**
 * Logprobs from raw logits. The rank is the number of tokens that are at least as likely, so ties increase it. `top` is the
 * number of alternatives, −1 for the whole vocabulary. `normaliser` is the `logSumExp` of the logits if it is already known.
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
