import type { Micros } from '../../calls/call-row.ts';
import type { MissingScore } from '../missing-score.ts';

/** One attempt at one row of a dataset: a call of `Evaluation.predict_and_score`, without its large payloads. */
export type Trial = {
  callId: string;
  /** The root call of its evaluation. */
  evaluationId: string;
  rowDigest: string;
  startedAt: Micros;
  missing: MissingScore;
  /** Scores by scorer, as parsed JSON; empty if there are none. */
  scores: Record<string, unknown>;
  /** Values read for filters and sorting, by their field path. */
  values: ReadonlyMap<string, unknown>;
};

/** All trials of one row, those of the first evaluation first. */
export type ResultRow = { digest: string; trials: Trial[] };

/** Groups trials by row, ordered by digest. `evaluationIds` gives the order of the evaluations inside a row. */
export function groupByRow(trials: readonly Trial[], evaluationIds: readonly string[]): ResultRow[] {
  const order = new Map(evaluationIds.map((id, i) => [id, i]));
  const rows = new Map<string, Trial[]>();
  for (const trial of trials) {
    const row = rows.get(trial.rowDigest);
    if (row) row.push(trial);
    else rows.set(trial.rowDigest, [trial]);
  }
  const inOrder = (a: Trial, b: Trial) =>
    order.get(a.evaluationId)! - order.get(b.evaluationId)! ||
    a.startedAt - b.startedAt ||
    (a.callId < b.callId ? -1 : 1);
  return [...rows.keys()].sort().map((digest) => ({ digest, trials: rows.get(digest)!.sort(inOrder) }));
}

/** Only the rows that all of these evaluations have. */
export function inAllEvaluations(rows: ResultRow[], evaluationIds: readonly string[]): ResultRow[] {
  if (evaluationIds.length < 2) return rows;
  return rows.filter(({ trials }) => new Set(trials.map((trial) => trial.evaluationId)).size === evaluationIds.length);
}
