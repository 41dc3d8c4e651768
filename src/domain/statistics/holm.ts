/**
 * Which hypotheses Holm's procedure (1979) rejects, given ln of an e-process's highest value for each. 1/exp of it is a p-value that
 * is valid at all times, so the probability that a true hypothesis is ever rejected, at any look, is at most `level`, whatever
 * the dependence.
 */
export function holm(peaks: readonly number[], level: number): boolean[] {
  const rejected = peaks.map(() => false);
  const order = [...peaks.keys()].sort((a, b) => peaks[b]! - peaks[a]!);
  for (const [rank, index] of order.entries()) {
    if (peaks[index]! < Math.log((peaks.length - rank) / level)) break;
    rejected[index] = true;
  }
  return rejected;
}
