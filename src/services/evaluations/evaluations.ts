import type { EvalResultsQuery } from '../../contract/eval-results/query.ts';
import type { Calls } from '../calls/calls.ts';
import type { Deps } from '../deps.ts';
import type { Feedback } from '../feedback/feedback.ts';
import type { Owner } from '../owner.ts';
import { openOps } from '../spans/ops.ts';
import { openEvaluationCalls } from './evaluation-calls.ts';
import { openPredictions, type Predictions } from './predictions.ts';
import { type EvaluationResults, queryResults } from './results/query-results.ts';
import { resolveRows } from './results/resolve-rows.ts';
import { type EvaluationRuns, openRuns } from './runs.ts';
import { openScores, type Scores } from './scores.ts';
import { type EvaluationStatus, evaluationStatus } from './status.ts';

/** Operations on the evaluations of a project. */
export type Evaluations = {
  runs: EvaluationRuns;
  predictions: Predictions;
  scores: Scores;
  /** The refs of these ops, which are created if they do not exist. */
  opRefs(owner: Owner, ...names: string[]): Promise<Record<string, string>>;
  /** @throws Failure if the call is not an evaluation */
  status(id: string, owner: Owner): Promise<EvaluationStatus>;
  /** @see queryResults */
  results(query: EvalResultsQuery, owner: Owner): Promise<EvaluationResults>;
  /** @see resolveRows */
  resolveRows(examples: string[], owner: Owner): Promise<{ rows: string[]; isComplete: boolean }>;
};

export function openEvaluations(deps: Deps, services: { calls: Calls; feedback: Feedback }): Evaluations {
  const evaluationCalls = openEvaluationCalls(deps, { calls: services.calls, ops: openOps(deps) });
  return {
    runs: openRuns(services, evaluationCalls),
    predictions: openPredictions(services, evaluationCalls),
    scores: openScores(services, evaluationCalls),
    opRefs: evaluationCalls.opRefs,
    status: (id, owner) => evaluationStatus(deps, { calls: services.calls, evaluationCalls }, id, owner),
    results: (query, { project, caller }) => queryResults(deps, caller, project.id, query),
    resolveRows: (examples, { caller }) => resolveRows(deps, caller, examples),
  };
}
