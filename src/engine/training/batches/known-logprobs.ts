import type { TrainingRow } from '../row.ts';
import type { RowScores } from '../types.ts';

/**
 * Replaces the logprobs of the sampler with those of the weights before the first step, so that ratios start at 1. Truncated
 * importance sampling then becomes part of the weights, so the loss must not apply it again.
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

/** Sets the reference logprobs of a KL penalty. */
export function withReference(rows: readonly TrainingRow[], scores: readonly RowScores[]): TrainingRow[] {
  return rows.map((row, r) => ({ ...row, targets: { ...row.targets, referenceLogprobs: scores[r]!.logprobs } }));
}
