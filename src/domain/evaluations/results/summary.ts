import { openTurn } from '../../../util/turns.ts';
import { addMissing, addScore, type Leaf, pairedDifference, type ScorerStats, statsOf } from './leaf.ts';
import type { ResultRow, Trial } from './trial.ts';

export type EvaluationStats = { evaluationId: string; trialCount: number; scorers: ScorerStats[] };

/**
 * Statistics of each evaluation, in the order in which the rows name them. The first of `evaluationIds` is the baseline
 * of the others. Trials without a score count as `MissingScore` says. Long lists of rows are worked on in turns.
 */
export async function summarize(
  rows: readonly ResultRow[],
  evaluationIds: readonly string[],
): Promise<EvaluationStats[]> {
  const turn = openTurn();
  const byEvaluation = new Map<string, Collected>();
  for (const [row, { trials }] of rows.entries()) {
    if (turn.isOver()) await turn.next();
    for (const trial of trials) collect(byEvaluation, row, trial);
  }
  for (const { trials, leaves } of byEvaluation.values()) {
    for (const leaf of leaves.values()) {
      if (turn.isOver()) await turn.next();
      for (const { row, trial } of trials) addMissing(leaf, row, trial);
    }
  }
  const baselineId = evaluationIds[0];
  const baseline = baselineId === undefined ? undefined : byEvaluation.get(baselineId)?.leaves;
  const stats: EvaluationStats[] = [];
  for (const [evaluationId, { trials, leaves }] of byEvaluation) {
    const scorers: ScorerStats[] = [];
    for (const [key, leaf] of leaves) {
      if (turn.isOver()) await turn.next();
      const other = evaluationId === baselineId ? undefined : baseline?.get(key);
      scorers.push({ ...statsOf(leaf), difference: other ? pairedDifference(leaf, other, baselineId!) : null });
    }
    stats.push({ evaluationId, trialCount: trials.length, scorers });
  }
  return stats;
}

/** The trials of an evaluation with the places of their rows, and what their scores contain. */
type Collected = { trials: { row: number; trial: Trial }[]; leaves: Map<string, Leaf> };

function collect(byEvaluation: Map<string, Collected>, row: number, trial: Trial): void {
  let found = byEvaluation.get(trial.evaluationId);
  if (!found) {
    found = { trials: [], leaves: new Map() };
    byEvaluation.set(trial.evaluationId, found);
  }
  found.trials.push({ row, trial });
  for (const [scorerKey, score] of Object.entries(trial.scores)) {
    addScore(found.leaves, row, { scorerKey, path: [], score });
  }
}
