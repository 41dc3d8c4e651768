import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { recordOf } from '../format/json.ts';
import { refOfOp } from '../refs.ts';
import { projectAddressOf } from '../urls.ts';
import type { Call } from './calls.ts';
import { ask, askLines } from './client.ts';
import type { AnswerOf, RequestOf } from './contract.ts';

type Body = RequestOf<'POST /v2/{entity}/{project}/eval_results/query'>['body'];
export type Results = AnswerOf<'POST /v2/{entity}/{project}/eval_results/query'>;
export type ResultRow = Results['rows'][number];
export type Trial = ResultRow['evaluations'][number]['trials'][number];
export type RunSummary = NonNullable<Results['summary']>['evaluations'][number];
export type ScorerStats = RunSummary['scorer_stats'][number];

const runColumns = ['op_name', 'display_name', 'started_at', 'ended_at', 'exception', 'inputs', 'output', 'summary'];

/** The op whose calls are runs of evaluations, in any version. */
export function evaluationRunsOp(projectId: string): string {
  return refOfOp(projectId, 'Evaluation.evaluate', '*');
}

/** Runs of evaluations, page by page: those of the SDKs, of the API, and of the server. */
export function runsQuery(projectId: string, sort: { field: string; direction: 'asc' | 'desc' }) {
  return infiniteQueryOptions({
    queryKey: ['evaluation-runs', projectId, sort],
    queryFn: ({ pageParam, signal }) =>
      askLines(
        'POST /calls/stream_query',
        {
          body: {
            project_id: projectId,
            filter: { op_names: [evaluationRunsOp(projectId)] },
            columns: runColumns,
            sort_by: [sort, { field: 'started_at', direction: 'desc' }],
            limit: pageSize,
            offset: pageParam,
          },
        },
        { signal },
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Call[], pages) => (last.length < pageSize ? undefined : pages.length * pageSize),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data, error } }) =>
      error || (data?.pages.length === 1 && data.pages[0]!.some(isRunning)) || data?.pages[0]?.length === 0
        ? 3000
        : false,
  });
}

/** The calls of some runs, in the order of `ids`; without those that do not exist. */
export function runCallsQuery(projectId: string, ids: string[]) {
  return queryOptions({
    queryKey: ['evaluation-runs', projectId, 'calls', ids],
    queryFn: async ({ signal }) => {
      const body = { project_id: projectId, filter: { call_ids: ids }, columns: runColumns };
      const calls = await askLines('POST /calls/stream_query', { body }, { signal });
      return ids.flatMap((id) => calls.find((call) => call.id === id) ?? []);
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.some(isRunning) ? 3000 : false),
  });
}

/** Which rows, and in which order. */
export type RowChoice = Pick<Body, 'sort_by' | 'filters'>;

type ResultsRequest = RowChoice & { ids: string[]; isRunning: boolean };

/** The statistics of runs, the first of which is the baseline of the others. */
export function resultSummaryQuery(projectId: string, { ids, isRunning }: Pick<ResultsRequest, 'ids' | 'isRunning'>) {
  return queryOptions({
    queryKey: ['evaluation-results', projectId, 'summary', ids],
    queryFn: ({ signal }) =>
      askResults(projectId, { ids, include_summary: true, include_rows: false, include_costs: true }, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: isRunning ? 3000 : false,
  });
}

/** The rows of runs, page by page. */
export function resultRowsQuery(projectId: string, { ids, isRunning, ...order }: ResultsRequest) {
  return infiniteQueryOptions({
    queryKey: ['evaluation-results', projectId, 'rows', ids, order],
    queryFn: ({ pageParam, signal }) =>
      askResults(
        projectId,
        {
          ...order,
          ids,
          include_raw_data_rows: true,
          resolve_row_refs: true,
          include_costs: true,
          limit: pageSize,
          offset: pageParam,
        },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (last: Results, pages) =>
      last.rows.length === 0 || pages.length * pageSize >= last.total_rows ? undefined : pages.length * pageSize,
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (isRunning && data?.pages.length === 1 ? 3000 : false),
  });
}

function askResults(projectId: string, { ids, ...body }: Body & { ids: string[] }, signal: AbortSignal) {
  return ask(
    'POST /v2/{entity}/{project}/eval_results/query',
    { params: projectAddressOf(projectId), body: { ...body, evaluation_call_ids: ids } },
    { signal },
  );
}

export function isRunning({ ended_at }: Pick<Call, 'ended_at'>): boolean {
  return ended_at == null;
}

/** What a run evaluates, and with which model: refs, or what the client recorded instead. */
export function evaluatedBy({ inputs }: Call): { evaluation: string; model: string } {
  const { self, this: own, model } = recordOf(inputs);
  return { evaluation: nameOf(self ?? own), model: nameOf(model) };
}

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const { name, _class_name } = recordOf(value);
  return typeof name === 'string' ? name : typeof _class_name === 'string' ? _class_name : '';
}

const pageSize = 100;
