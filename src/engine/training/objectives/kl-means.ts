import type { TrainingRow } from '../row.ts';
import type { RowScores } from '../types.ts';
import type { PolicyOptions } from './policy-loss.ts';

/** The mean of each row, with which a KL penalty compares each token. It is known once the whole row has been scored. */
export function klMeansOf(
  rows: readonly TrainingRow[],
  scores: readonly RowScores[],
  { klOfSample }: PolicyOptions<number>,
): number[] {
  return rows.map(({ targets }, r) => {
    const { oldLogprobs, referenceLogprobs } = targets;
    const apart = Array.from(scores[r]!.logprobs, (logprob, i) => {
      const old = oldLogprobs?.[i] ?? Number.NaN;
      const policy = klOfSample > 0 && !Number.isNaN(old) ? old : logprob;
      return policy - (referenceLogprobs?.[i] ?? 0);
    });
    return apart.reduce((sum, each) => sum + each, 0) / Math.max(apart.length, 1);
  });
}
