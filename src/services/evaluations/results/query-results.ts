import type { EvalResultsQuery } from '../../../contract/eval-results/query.ts';
import type { ProjectId } from '../../../contract/ids.ts';
import { type ResultField, readsRows } from '../../../domain/evaluations/results/field.ts';
import { filteredFields, filterRows, parseRowFilters } from '../../../domain/evaluations/results/filter.ts';
import { parseRowOrder, sortRows } from '../../../domain/evaluations/results/sort.ts';
import { type EvaluationStats, summarize } from '../../../domain/evaluations/results/summary.ts';
import { groupByRow, inAllEvaluations, type ResultRow } from '../../../domain/evaluations/results/trial.ts';
import type { Caller } from '../../../identity/identity.ts';
import { type FoundEvaluation, findEvaluations } from '../../../store/clickhouse/evaluations/find-evaluations.ts';
import { findRowValues } from '../../../store/clickhouse/evaluations/find-row-values.ts';
import { findPredictUsage } from '../../../store/clickhouse/evaluations/find-trial-children.ts';
import { findTrialFailures } from '../../../store/clickhouse/evaluations/find-trial-failures.ts';
import { findTrials } from '../../../store/clickhouse/evaluations/find-trials.ts';
import { tooLarge, unacceptable } from '../../../util/failures.ts';
import { mapInTurns } from '../../../util/turns.ts';
import { projectPrices } from '../../costs/project-prices.ts';
import type { Deps } from '../../deps.ts';
import { failuresByEvaluation, noFailures, type RunFailures } from './failures-by-evaluation.ts';
import { openRowDigests } from './row-digests.ts';
import { toTrial } from './to-trial.ts';
import { readTrialAnswers, type TrialAnswer } from './trial-answers.ts';
import { type PredictUsage, usageByEvaluation } from './usage-by-evaluation.ts';
import { withValuesOfRows } from './values-of-rows.ts';

type Stores = Pick<Deps, 'clickhouse' | 'postgres' | 'identity'>;

export type EvaluationResults = {
  rows: { row: ResultRow; example: string; trials: TrialAnswer[] }[];
  totalRows: number;
  /** The evaluations with trials, in the order of their first appearance in the rows. */
  summary: {
    rowCount: number;
    evaluations: (EvaluationStats & PredictUsage & { failures: RunFailures; root: FoundEvaluation | null })[];
  } | null;
};

/**
 * The results of evaluations, whatever recorded them: their trials grouped by row, filtered, sorted and summarized.
 *
 * @throws Failure for an invalid field or query, for too many trials, and if no evaluation is named.
 */
export async function queryResults(
  stores: Stores,
  caller: Caller,
  projectId: ProjectId,
  query: EvalResultsQuery,
): Promise<EvaluationResults> {
  const evaluationIds = [...new Set([...(query.evaluation_call_ids ?? []), ...(query.evaluation_run_ids ?? [])])];
  if (evaluationIds.length === 0) {
    throw unacceptable('Name at least one evaluation in evaluation_call_ids or evaluation_run_ids.');
  }
  if (evaluationIds.length > evaluationsMax) {
    throw tooLarge(`A request can name ${evaluationsMax} evaluations, found ${evaluationIds.length}.`);
  }
  const orders = parseRowOrder(query.sort_by ?? [], evaluationIds.length);
  const filters = parseRowFilters(query.filters ?? []);
  const fields = [...orders.map(({ field }) => field), ...filteredFields(filters)].filter(readsPayload);
  const evaluations = await findEvaluations(stores.clickhouse, projectId, evaluationIds);
  const models = [...evaluations.values()].map(({ modelRef }) => modelRef).filter((ref) => ref !== '');
  const source = { projectId, evaluationIds, models };
  const [trials, predictUsage, failed] = await Promise.all([
    readTrials(stores, caller, projectId, evaluationIds, distinct(fields)),
    query.include_summary ? findPredictUsage(stores.clickhouse, source) : [],
    query.include_summary ? findTrialFailures(stores.clickhouse, source) : [],
  ]);

  const found = filterRows(groupByRow(trials, evaluationIds), filters, query.filter_logic_operator);
  const common = () => inAllEvaluations(found, evaluationIds);
  const rows = query.require_intersection ? common() : found;
  const sorted = orders.length > 0 ? sortRows(rows, orders) : rows;
  const start = Math.max(0, query.offset);
  const page = query.include_rows
    ? sorted.slice(start, query.limit === null ? undefined : start + Math.max(0, query.limit))
    : [];

  const answers = await readTrialAnswers(
    stores,
    source,
    page.flatMap((row) => row.trials),
    {
      withChildren: query.include_predict_and_score_children,
      includeCosts: query.include_costs,
    },
  );
  const summed = (query.summary_require_intersection ?? query.require_intersection) ? common() : found;
  const book = query.include_summary && query.include_costs ? await projectPrices(stores, projectId) : null;
  const usage = usageByEvaluation(predictUsage, summed, book);
  const failures = failuresByEvaluation(failed, summed);
  return {
    rows: page.map((row) => ({
      row,
      example: answers.get(row.trials[0]!.callId)!.example,
      trials: row.trials.map((trial) => answers.get(trial.callId)!),
    })),
    totalRows: rows.length,
    summary: query.include_summary
      ? {
          rowCount: summed.length,
          evaluations: (await summarize(summed, evaluationIds)).map((each) => ({
            ...each,
            ...(usage.get(each.evaluationId) ?? { tokens: null, cost: null }),
            failures: failures.get(each.evaluationId) ?? noFailures(),
            root: evaluations.get(each.evaluationId) ?? null,
          })),
        }
      : null,
  };
}

const evaluationsMax = 100;
export const trialsMax = 100_000;

function readsPayload({ root }: ResultField): boolean {
  return root === 'inputs' || root === 'output';
}

function distinct(fields: ResultField[]): ResultField[] {
  return [...new Map(fields.map((field) => [field.name, field])).values()];
}

async function readTrials(
  stores: Stores,
  caller: Caller,
  projectId: ProjectId,
  evaluationIds: string[],
  fields: ResultField[],
) {
  const found = await findTrials(stores.clickhouse, { projectId, evaluationIds, fields, limit: trialsMax + 1 });
  if (found.length > trialsMax) {
    throw tooLarge(`These evaluations have more than ${trialsMax} trials. Ask for fewer evaluations.`);
  }
  const digestOf = await openRowDigests(stores.identity, caller, found);
  const inputs = fields.filter(readsRows);
  const named = inputs.length > 0 ? found.map(({ rowDigest }) => rowDigest).filter((digest) => digest !== '') : [];
  const rowValues = await findRowValues(stores.clickhouse, projectId, new Set(named), inputs);
  const trials = await mapInTurns(found, (row) => {
    const digest = digestOf(row);
    return toTrial(row, digest, fields, rowValues.get(digest));
  });
  return withValuesOfRows(stores, caller, trials);
}
