import type { TimeBuckets } from '../../../domain/stats/time-buckets.ts';
import type { SqlParams } from '../query/sql-params.ts';

/** The number of the bucket, starting at 0, that contains the time in a column. */
export function bucketSql(column: string, { runs, granularity }: TimeBuckets, params: SqlParams): string {
  const time = `toUnixTimestamp64Micro(${column})`;
  const micros = (seconds: number) => params.bind('Int64', String(seconds * 1e6));
  const [only = { first: 0, count: 0 }, ...later] = runs;
  const numberIn = ({ first }: { first: number }) => `intDiv((${time} - ${micros(first)}), ${micros(granularity)})`;
  if (later.length === 0) return `toUInt32(${numberIn(only)})`;
  let from = 0;
  const branches = runs.map((run, index) => {
    const next = runs[index + 1];
    // The last bucket of a run may be longer than the others.
    const number = `${from} + least(${numberIn(run)}, ${run.count - 1})`;
    from += run.count;
    return next ? `${time} < ${micros(next.first)}, ${number}` : number;
  });
  return `toUInt32(multiIf(${branches.join(', ')}))`;
}
