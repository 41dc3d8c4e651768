import type { CallsFilter } from '../../../contract/calls/filter.ts';
import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import { checkLengths, filterSql } from '../calls/sql/filter-sql.ts';
import type { SqlParams } from '../query/sql-params.ts';
import { bucketSql } from './bucket-sql.ts';

/** Calls of a project that match the time range and filter of a request for statistics. */
export type StatsScope = {
  projectId: string;
  projectName: string;
  buckets: TimeBuckets;
  filter: CallsFilter | null;
};

/** The selected calls, except for `trace_roots_only`, and the bucket number of each. @throws Failure */
export function statsConditions({ projectId, projectName, buckets, filter }: StatsScope, params: SqlParams) {
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    'is_started = 1',
    `started_at >= ${params.time(buckets.start)}`,
    `started_at < ${params.time(buckets.end)}`,
    ...(filter ? statsFilterSql(filter, projectName, params) : []),
  ];
  return { conditions, bucket: bucketSql('started_at', buckets, params) };
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
  trace_roots_only: null,
};
