import { fieldPaths } from '../../../../domain/query/operation.ts';
import type { UsageCall } from '../../../../domain/usage/usage-call.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql } from '../../query/sql.ts';
import { allOf, type CallsSelection, compileSelection } from '../sql/calls-query.ts';
import { usageCallColumns } from '../sql/usage-column.ts';
import { locateCalls } from './locate-calls.ts';
import { withIndexed } from './with-indexed.ts';

/**
 * The oldest `limit` matching calls, with the tokens they report. Only narrow columns are read and, if the filter names
 * calls, parents or traces, only the times at which matching calls started.
 * @throws Failure for an invalid filter or query.
 */
export async function readUsage(
  clickhouse: ClickHouse,
  selection: CallsSelection,
  limit: number,
): Promise<UsageCall[]> {
  const { sql, params } = await narrowed(clickhouse, selection);
  return clickhouse.query<UsageCall>(
    `SELECT ${usageCallColumns}
     ${sql}
     ORDER BY started_at, id
     LIMIT ${limit}`,
    params,
  );
}

/** The number of calls in each of these traces. */
export async function countTraces(clickhouse: ClickHouse, selection: CallsSelection): Promise<Map<string, number>> {
  const { sql, params } = await narrowed(clickhouse, selection);
  const rows = await clickhouse.query<{ traceId: string; count: number }>(
    `SELECT trace_id AS traceId, count() AS count ${sql} GROUP BY trace_id`,
    params,
  );
  return new Map(rows.map(({ traceId, count }) => [traceId, count]));
}

async function narrowed(clickhouse: ClickHouse, selection: CallsSelection) {
  const { filter, query } = selection;
  compileSelection(selection, []); // reports invalid requests before reading anything
  const located = await locateCalls(clickhouse, selection);
  const startTimes = located?.map(({ startedAt }) => startedAt);
  const indexed = await withIndexed(clickhouse, selection, query ? fieldPaths(query) : []);
  const { params, base, conditions } = compileSelection({ ...indexed, startTimes }, []);
  const from = (final: string) => `FROM calls ${final} ${joinsSql(conditions)}`;
  const isByIndex = !startTimes && (filter?.trace_ids?.length || filter?.parent_ids?.length);
  // FINAL would read the whole project; without it the indexes over traces and parents apply.
  const times = `started_at IN (SELECT started_at ${from('')} WHERE ${allOf(base, ...conditions)})`;
  const where = allOf(base, ...(isByIndex ? [times] : []), ...conditions);
  return { sql: `${from('FINAL')} WHERE ${where}`, params: params.values };
}
