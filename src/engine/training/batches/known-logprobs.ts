import type { TrainingRow } from '../row.ts';
import type { RowScores } from '../types.ts';

/**
 * Takes the logprobs of the weights before the first step for those of the sampler, so that ratios begin at 1. How far the
 * sampler was from them is known then, and truncated importance sampling becomes part of the weights: leave it out of the
 * loss.
 * @param truncation `truncated_importance_sampling`, if it is set
 */
export function precalculate(
  rows: readonly TrainingRow[],
  scores: readonly RowScores[],
  truncation: number | null = null,
): TrainingRow[] {
  return rows.map((row, r) => {
    const { logprobs } = scores[r]!;
    const { oldLogprobs, weights } = row.targets;
    const truncated = logprobs.map((logprob, i) => {
      const sampled = oldLogprobs?.[i] ?? Number.NaN;
      const ratio = Number.isNaN(sampled) ? 1 : Math.exp(logprob - sampled);
      return (weights?.[i] ?? 1) * (truncation === null ? 1 : Math.min(ratio, truncation));
    });
    return { ...row, targets: { ...row.targets, oldLogprobs: logprobs, weights: truncated } };
  });
}

/** Sets the logprobs that a KL penalty compares with. */
export function withReference(rows: readonly TrainingRow[], scores: readonly RowScores[]): TrainingRow[] {
  return rows.map((row, r) => ({ ...row, targets: { ...row.targets, referenceLogprobs: scores[r]!.logprobs } }));
}
