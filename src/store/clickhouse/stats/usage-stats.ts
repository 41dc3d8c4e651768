import type { MeasuredUsage } from '../../../domain/stats/measured-usage.ts';
import type { TokenMetric } from '../../../domain/stats/metrics.ts';
import type { Wanted } from '../../../domain/stats/wanted.ts';
import { rootsSql } from '../calls/sql/filter-sql.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { aggregatesSql } from './aggregates-sql.ts';
import { groupedSql } from './group-sql.ts';
import { type StatsScope, statsConditions } from './stats-conditions.ts';

/**
 * Measures the tokens of calls by bucket and model, in one pass; combinations without calls are left out. At most
 * `limit` rows. Root calls from the SDKs already contain the usage of their descendants; OpenTelemetry spans only report
 * their own, so all of them count beside the roots.
 */
export async function measureUsage(
  clickhouse: ClickHouse,
  { wanted, limit, ...scope }: StatsScope & { wanted: Wanted<TokenMetric>[]; limit: number },
): Promise<MeasuredUsage[]> {
  const params = new SqlParams();
  const { conditions, bucket } = statsConditions(scope, params);
  conditions.push('is_repeated = 0');
  conditions.push(...ownUsageSql(scope));
  const arrays = ['usage.model AS model', ...wanted.map(({ metric }) => `${columns[metric]} AS ${metric}`)];
  const grouped = groupedSql(scope.groups, params);
  const keys = [`${bucket} AS bucket`, 'model', ...grouped.columns];
  return clickhouse.query<MeasuredUsage>(
    `SELECT ${[...keys, 'count() AS count', ...aggregatesSql(wanted, values)].join(', ')}
     FROM calls FINAL
     ARRAY JOIN ${arrays.join(', ')}
     WHERE ${[...conditions, ...grouped.conditions].join(' AND ')}
     GROUP BY ${['bucket', 'model', ...grouped.keys].join(', ')}
     LIMIT ${limit}`,
    params.values,
  );
}

/** Which calls count their own usage if only roots are asked for: see {@link measureUsage}. */
export function ownUsageSql({ filter }: Pick<StatsScope, 'filter'>): string[] {
  return filter ? rootsSql(filter).map((isRoot) => `(${isRoot} OR mapper_version > 0)`) : [];
}

const columns: Record<TokenMetric, string> = {
  input_tokens: atLeastZero('input'),
  output_tokens: atLeastZero('output'),
  total_tokens: 'usage.total',
  cache_read_input_tokens: atLeastZero('cache_read'),
  cache_creation_input_tokens: atLeastZero('cache_creation'),
};

/** Added as floating-point numbers: integer sums would overflow, and are read as floating-point numbers in the end. */
const values = Object.fromEntries(Object.keys(columns).map((metric) => [metric, `toFloat64(${metric})`])) as Record<
  TokenMetric,
  string
>;

/** Calls that were stored before negative counts were ignored may have some. */
function atLeastZero(column: string): string {
  return `arrayMap(each -> greatest(each, 0), usage.${column})`;
}
