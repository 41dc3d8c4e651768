import type { StatsGrouping } from '../../../domain/stats/metrics.ts';
import { rootsSql } from '../calls/sql/filter-sql.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { groupSql, modelsJoinSql } from './group-sql.ts';
import { type StatsScope, statsConditions } from './stats-conditions.ts';

/** `total` counts all groups. */
export type LargestGroups = { groups: { name: string; calls: number }[]; total: number };

/** The groups with most of the selected calls. */
export async function largestGroups(
  clickhouse: ClickHouse,
  scope: StatsScope,
  { by, limit }: { by: StatsGrouping; limit: number },
): Promise<LargestGroups> {
  const params = new SqlParams();
  const { conditions } = statsConditions(scope, params);
  if (scope.filter) conditions.push(...rootsSql(scope.filter));
  const rows = await clickhouse.query<{ name: string; calls: number; total: number }>(
    `SELECT name, calls, count() OVER () AS total
     FROM (
       SELECT ${groupSql[by]} AS name, toFloat64(count()) AS calls
       FROM calls FINAL ${modelsJoinSql(by)}
       WHERE ${conditions.join(' AND ')}
       GROUP BY name
     )
     ORDER BY calls DESC, name
     LIMIT ${limit}`,
    params.values,
  );
  return { groups: rows.map(({ name, calls }) => ({ name, calls })), total: Number(rows[0]?.total ?? 0) };
}
