import type { Measured } from '../../../domain/stats/measured.ts';
import type { CallMetric } from '../../../domain/stats/metrics.ts';
import type { Wanted } from '../../../domain/stats/wanted.ts';
import { rootsSql } from '../calls/sql/filter-sql.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { aggregatesSql } from './aggregates-sql.ts';
import { groupedSql, modelsJoinSql } from './group-sql.ts';
import { type StatsScope, statsConditions } from './stats-conditions.ts';

/** Measures calls by bucket, in one pass; buckets without calls are left out. */
export async function measureCalls(
  clickhouse: ClickHouse,
  scope: StatsScope,
  wanted: Wanted<CallMetric>[],
): Promise<Measured[]> {
  const params = new SqlParams();
  const { conditions, bucket } = statsConditions(scope, params);
  if (scope.filter) conditions.push(...rootsSql(scope.filter));
  const grouped = groupedSql(scope.groups, params);
  const columns = [`${bucket} AS bucket`, ...grouped.columns, 'count() AS count', ...aggregatesSql(wanted, values)];
  return clickhouse.query<Measured>(
    `SELECT ${columns.join(', ')}
     FROM calls FINAL ${modelsJoinSql(scope.groups?.by)}
     WHERE ${[...conditions, ...grouped.conditions].join(' AND ')}
     GROUP BY ${['bucket', ...grouped.keys].join(', ')}`,
    params.values,
  );
}

const micros = '(toUnixTimestamp64Micro(ended_at) - toUnixTimestamp64Micro(started_at))';

const values: Record<CallMetric, string> = {
  latency_ms: `if(ended_at >= started_at, intDiv(${micros}, 1000), NULL)`,
  call_count: '1',
  error_count: "toUInt8(exception != '')",
};
