import type { CallsFilter } from '../../../contract/calls/filter.ts';
import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import { checkLengths, filterSql } from '../calls/filter-sql.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** Calls of a project whose times and filter are those of a request for statistics. */
export type StatsScope = {
  projectId: string;
  projectName: string;
  buckets: TimeBuckets;
  filter: CallsFilter | null;
};

/** The calls meant, but for `trace_roots_only`, and the number of the bucket of each. @throws ApiError 400 */
export function statsConditions({ projectId, projectName, buckets, filter }: StatsScope, params: SqlParams) {
  const { start, end, first, granularity } = buckets;
  const time = (micros: number) => params.time(Math.floor(micros / 1e6) * 1e6);
  const conditions = [
    `project_id = ${params.string(projectId)}`,
    'is_started = 1',
    `started_at >= ${time(start)}`,
    `started_at < ${time(end)}`,
    ...(filter ? statsFilterSql(filter, projectName, params) : []),
  ];
  const since = `(toUnixTimestamp64Micro(started_at) - ${params.bind('Int64', String(first * 1e6))})`;
  return { conditions, bucket: `toUInt32(intDiv(${since}, ${params.bind('Int64', granularity * 1e6)}))` };
}

/** Only some fields of a filter count here, and names of ops have no wildcards. */
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
