import { fieldPaths } from '../../../../domain/query/operation.ts';
import { invalidInput } from '../../../../util/failures.ts';
import type { ClickHouse } from '../../clickhouse.ts';
import { joinsSql } from '../../query/sql.ts';
import { allOf, type CallsSelection, compileSelection, settingsSql } from '../sql/calls-query.ts';
import type { Expansions } from '../sql/expansions-sql.ts';
import { topmostSql } from '../sql/filter-sql.ts';
import { storageSizeSql } from '../sql/found-call-sql.ts';
import { locateCalls } from './locate-calls.ts';
import { type RefExpansion, resolveExpansions } from './resolve-expansions.ts';
import { withIndexed } from './with-indexed.ts';

export type CallsCount = CallsSelection & {
  /** The count stops here. */
  limit: number | null;
  includeTotalStorageSize: boolean;
  expansion: RefExpansion | null;
};

export type CountedCalls = {
  count: number;
  /** Whether the limit was reached. */
  hasMore: boolean;
  /** The bytes of the traces whose roots match, if requested. */
  totalStorageSizeBytes: number | null;
};

/** Counts exactly. @throws Failure for an invalid filter, query or limit. */
export async function countCalls(clickhouse: ClickHouse, request: CallsCount): Promise<CountedCalls> {
  const { limit, query } = request;
  if ((limit ?? 0) < 0) throw invalidInput(`limit must not be negative, found ${limit}`);
  compileSelection(request, []); // reports invalid requests before refs are resolved
  const paths = query ? fieldPaths(query) : [];
  const expansions = await resolveExpansions(clickhouse, request, request.expansion, paths);
  const located = await locateCalls(clickhouse, request);
  const startTimes = located?.map(({ startedAt }) => startedAt);
  const callIds = located?.map(({ id }) => id);
  const indexed = { ...(await withIndexed(clickhouse, request, paths)), startTimes, callIds };
  const count = await countMatches(clickhouse, indexed, expansions);
  return {
    count,
    hasMore: limit !== null && count >= limit,
    totalStorageSizeBytes: request.includeTotalStorageSize ? await sumTraces(clickhouse, indexed, expansions) : null,
  };
}

async function countMatches(clickhouse: ClickHouse, request: CallsCount, expansions: Expansions): Promise<number> {
  const { params, base, conditions } = compileSelection(request, expansions);
  const where = `FROM calls FINAL ${joinsSql(conditions)} WHERE ${allOf(base, ...conditions)}`;
  const from = request.limit === null ? where : `FROM (SELECT 1 ${where} LIMIT ${request.limit})`;
  const [row] = await clickhouse.query<{ count: number }>(
    `SELECT count() AS count ${from} ${settingsSql(conditions)}`,
    params.values,
  );
  return row!.count;
}

/** A trace with two matching roots counts twice, as it does when the roots' own totals are added. */
async function sumTraces(clickhouse: ClickHouse, request: CallsCount, expansions: Expansions): Promise<number> {
  const { params, base, conditions } = compileSelection(request, expansions);
  const root = request.filter?.topmost_calls_only ? topmostSql : "parent_id = ''";
  const [row] = await clickhouse.query<{ bytes: number }>(
    `SELECT sum(traces.bytes * roots.count) AS bytes
     FROM (
       SELECT trace_id, count() AS count FROM calls FINAL ${joinsSql(conditions)}
       WHERE ${allOf(base, root, ...conditions)} GROUP BY trace_id
     ) AS roots
     INNER JOIN (
       SELECT trace_id, sum${storageSizeSql} AS bytes FROM calls FINAL WHERE ${base} GROUP BY trace_id
     ) AS traces USING trace_id
     ${settingsSql(conditions)}`,
    params.values,
  );
  return row!.bytes;
}
