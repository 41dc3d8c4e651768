import type { TrainingRow } from '../../row.ts';
import type { RowScores } from '../../types.ts';
import { evaluateLoss } from '../losses.ts';
import type { Objective } from '../objective.ts';

/** The derivative of the loss with respect to the logprob of each target, by row. */
export function evaluateGradients(rows: TrainingRow[], scores: RowScores[], objective: Objective): number[][] {
  const { gradients } = evaluateLoss(rows, scores, objective);
  let start = 0;
  return rows.map(({ targets }) => {
    const own = gradients.slice(start, start + targets.tokens.length);
    start += own.length;
    return [...own];
  });
}
