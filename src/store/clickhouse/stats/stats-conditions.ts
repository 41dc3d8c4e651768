import type { CallsFilter } from '../../../domain/calls/calls-filter.ts';
import type { Operation } from '../../../domain/query/operation.ts';
import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import { callFields } from '../calls/sql/call-field-sql.ts';
import { openFeedbackOnCalls } from '../calls/sql/feedback-on-calls-sql.ts';
import { checkLengths, filterSql } from '../calls/sql/filter-sql.ts';
import { querySql } from '../query/query-sql.ts';
import { joinsSql } from '../query/sql.ts';
import type { SqlParams } from '../query/sql-params.ts';
import { bucketSql } from './bucket-sql.ts';
import type { StatsGroups } from './group-sql.ts';

/** Calls of a project that match the time range and filter of a request for statistics. */
export type StatsScope = {
  projectId: string;
  projectName: string;
  buckets: TimeBuckets;
  filter: CallsFilter | null;
  query: Operation | null;
  /** Measures each of these groups; all calls together where it is null. */
  groups: StatsGroups | null;
};

/** The selected calls, except for conditions on roots, and the bucket number of each. @throws Failure */
export function statsConditions(scope: StatsScope, params: SqlParams) {
  const { projectId, projectName, buckets, filter } = scope;
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    'is_started = 1',
    `started_at >= ${params.time(buckets.start)}`,
    `started_at < ${params.time(buckets.end)}`,
    ...(filter ? statsFilterSql(filter, projectName, params) : []),
    ...(scope.query ? [statsQuerySql(scope, scope.query, params)] : []),
  ];
  return { conditions, bucket: bucketSql('started_at', buckets, params) };
}

/** Conditions of a query may need joins, so they choose the calls in a query of their own. */
function statsQuerySql({ projectId, projectName, buckets }: StatsScope, query: Operation, params: SqlParams): string {
  const feedback = openFeedbackOnCalls({ projectId, projectName, callIds: null }, params);
  const resolveField = callFields({ projectName, expansions: [], indexed: new Set(), feedback }, params);
  const matches = querySql(query, resolveField, params);
  if (matches.sources.length === 0) return matches.sql;
  return `id IN (
    SELECT id FROM calls FINAL ${joinsSql([matches])}
    WHERE project_id = ${params.string(projectId)} AND is_started = 1 AND started_at >= ${params.time(buckets.start)}
      AND started_at < ${params.time(buckets.end)} AND ${matches.sql}
  )`;
}

/** Only some fields of a filter apply here, and op names have no wildcards. */
function statsFilterSql(filter: CallsFilter, projectName: string, params: SqlParams): string[] {
  checkLengths(filter);
  const { op_names, trace_ids, call_ids, parent_ids, wb_user_ids, wb_run_ids } = filter;
  const used = { ...nothing, trace_ids, call_ids, parent_ids, wb_user_ids, wb_run_ids };
  const ops = op_names?.length ? [`op_name IN ${params.strings(op_names)}`] : [];
  return [...ops, ...filterSql(used, projectName, params)];
}

const nothing = {
  ...{ op_names: null, input_refs: null, output_refs: null, thread_ids: null, turn_ids: null },
  ...{ trace_roots_only: null, topmost_calls_only: null, turns_only: null },
};
