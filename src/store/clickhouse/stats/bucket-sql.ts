import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** The number of the bucket, starting at 0, that contains the time in a column. */
export function bucketSql(column: string, { first, granularity }: TimeBuckets, params: SqlParams): string {
  const since = `(toUnixTimestamp64Micro(${column}) - ${params.bind('Int64', String(first * 1e6))})`;
  return `toUInt32(intDiv(${since}, ${params.bind('Int64', granularity * 1e6)}))`;
}
