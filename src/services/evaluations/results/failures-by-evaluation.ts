import type { ResultRow } from '../../../domain/evaluations/results/trial.ts';
import type { TrialFailure } from '../../../store/clickhouse/evaluations/find-trial-failures.ts';

/** How many predictions and scores of an evaluation failed, and why the first ones did. */
export type RunFailures = { predictions: Failures; scores: Failures };

type Failures = { count: number; error: string | null };

export function noFailures(): RunFailures {
  return { predictions: { count: 0, error: null }, scores: { count: 0, error: null } };
}

/**
 * What failed in these rows. A trial fails with its model or scorer, or by itself, for example while its inputs are
 * prepared.
 */
export function failuresByEvaluation(
  found: readonly TrialFailure[],
  rows: readonly ResultRow[],
): Map<string, RunFailures> {
  const failures = new Map<string, RunFailures>();
  if (found.length === 0) return failures;
  const byTrial = Map.groupBy(found, ({ trialId }) => trialId);
  for (const { callId, evaluationId } of rows.flatMap(({ trials }) => trials)) {
    const ofTrial = byTrial.get(callId);
    if (!ofTrial) continue;
    const run = failures.get(evaluationId) ?? noFailures();
    failures.set(evaluationId, run);
    const scores = ofTrial.filter(({ kind }) => kind === 'score');
    const prediction = ofTrial.find(({ kind }) => kind === 'predict') ?? (scores.length === 0 ? ofTrial[0] : undefined);
    if (prediction) add(run.predictions, prediction);
    for (const score of scores) add(run.scores, score);
  }
  return failures;
}

function add(failures: Failures, { error }: TrialFailure): void {
  failures.count++;
  failures.error ??= error;
}
