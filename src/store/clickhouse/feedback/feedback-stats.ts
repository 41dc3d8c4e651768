import type { Aggregate, Metric, MetricValues } from '../../../domain/feedback/metric.ts';
import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { SqlParams } from '../query/sql-params.ts';
import { bucketSql } from '../stats/bucket-sql.ts';
import { type FeedbackWindow, windowSql } from './window-sql.ts';

export type StatsQuery = FeedbackWindow & { metrics: Metric[]; buckets: TimeBuckets };

/** The buckets that contain feedback, by number, and the whole window: there, metrics without values are null. */
export async function feedbackStats(
  clickhouse: ClickHouse,
  query: StatsQuery,
): Promise<{ byBucket: Map<number, MetricValues>; whole: MetricValues | null }> {
  const { metrics, buckets } = query;
  const params = new SqlParams();
  const lists = metrics.map((metric, i) => `${metricSql(metric, params)} AS m${i}`);
  const counts = metrics.map((metric, i) => `${countSql(metric, params)} AS n${i}`);
  const rows = await clickhouse.query<Record<string, unknown> & { bucket: number; isWhole: number; count: number }>(
    `SELECT bucket, grouping(bucket) AS isWhole, count() AS count, ${[...lists, ...counts].join(', ')}
     FROM (
       SELECT ${bucketSql('created_at', buckets, params)} AS bucket, payload
       FROM feedback FINAL
       WHERE ${windowSql(query, params)}
     )
     GROUP BY GROUPING SETS ((bucket), ())`,
    params.values,
  );
  const toRow = (row: (typeof rows)[number]): MetricValues => ({
    count: row.count,
    values: metrics.map((_, i) => row[`m${i}`] as (number | null)[]),
  });
  const isWhole = (row: (typeof rows)[number]) => row.isWhole !== 0;
  const whole = rows.find(isWhole);
  const orNull = (row: (typeof rows)[number]): MetricValues => {
    const { count, values } = toRow(row);
    return { count, values: values.map((list, i) => (row[`n${i}`] ? list : list.map(() => null))) };
  };
  return {
    byBucket: new Map(rows.filter((row) => !isWhole(row)).map((row) => [row.bucket, toRow(row)])),
    whole: whole ? orNull(whole) : null,
  };
}

/** The aggregates of a metric as a list of numbers. Numbers and booleans in strings do not count. */
function metricSql(metric: Metric, params: SqlParams): string {
  const { valueType, aggregates } = metric;
  const { number, truth } = valuesSql(metric, params);
  const none = 'CAST(NULL AS Nullable(Float64))';
  const value = { numeric: number, boolean: truth, categorical: none }[valueType];
  const counted = countSql(metric, params);
  const list = aggregates.map(
    (aggregate) => `toNullable(toFloat64(${aggregateSql(aggregate, value, truth, counted)}))`,
  );
  return list.length > 0 ? `[${list.join(', ')}]` : '[]';
}

/** The number of values of a metric; every row has a text. */
function countSql(metric: Metric, params: SqlParams): string {
  const { number, truth } = valuesSql(metric, params);
  return { numeric: `count(${number})`, boolean: `count(${truth})`, categorical: 'count()' }[metric.valueType];
}

function valuesSql({ path }: Metric, params: SqlParams): { number: string; truth: string } {
  const at = ['payload', ...path.map((key) => params.string(key))].join(', ');
  return {
    number: `if(JSONType(${at}) IN ('Int64', 'UInt64', 'Double'), JSONExtractFloat(${at}), NULL)`,
    truth: `if(JSONType(${at}) = 'Bool', toFloat64(JSONExtractBool(${at})), NULL)`,
  };
}

function aggregateSql(aggregate: Aggregate, value: string, truth: string, counted: string): string {
  switch (aggregate.kind) {
    case 'sum':
      return `ifNull(sum(${value}), 0)`;
    case 'avg':
    case 'min':
    case 'max':
      return `${aggregate.kind}(${value})`;
    case 'count':
      return counted;
    case 'count_true':
      return `countIf(ifNull(${truth}, 0) = 1)`;
    case 'count_false':
      return `countIf(ifNull(${truth}, 1) = 0)`;
    case 'percentile':
      return `quantileExactInclusive(${aggregate.percent / 100})(${value})`;
    default:
      return aggregate satisfies never;
  }
}
