import { invalidField } from '../../util/failures.ts';
import type { Micros } from '../calls/call-row.ts';
import type { TimeRange } from './time-range.ts';

/** A time range, divided into buckets. */
export type TimeBuckets = TimeRange & {
  /** The length of a bucket in seconds. A bucket in which clocks are changed is shorter or longer. */
  granularity: number;
  /** The buckets in order: those of a run follow each other at the granularity, its last one ends where the next starts. */
  runs: BucketRun[];
  count: number;
};

/** `first` is the start of the first bucket in seconds since 1970; only that of a whole range may lie before the range. */
type BucketRun = { first: number; count: number };

/** How many seconds clocks are ahead of UTC, at a time in seconds since 1970. */
export type SecondsAhead = (seconds: number) => number;

/**
 * Divides a range into buckets that start at multiples of the granularity by the clocks of a time zone. Without a
 * granularity, one that suits the range is chosen; one that gives too many buckets is increased.
 * @throws ValidationError for a granularity below 1.
 */
export function timeBuckets(
  start: Micros,
  end: Micros,
  granularity: number | null,
  secondsAhead: SecondsAhead = () => 0,
): TimeBuckets {
  if (granularity !== null && granularity < 1) {
    throw invalidField('granularity', `granularity must be at least 1 second, found ${granularity}`);
  }
  const range = { start, end };
  const rangeSeconds = (end - start) / 1e6;
  const chosen = cut(range, granularity ?? suiting(rangeSeconds), secondsAhead);
  if (chosen.count <= bucketsMax) return chosen;
  return cut(range, Math.floor(rangeSeconds / bucketsMax) + 1, secondsAhead);
}

/** The start of each bucket, in seconds since 1970. */
export function bucketStarts({ runs, granularity }: TimeBuckets): number[] {
  return runs.flatMap(({ first, count }) => Array.from({ length: count }, (_, index) => first + index * granularity));
}

function cut(range: TimeRange, granularity: number, secondsAhead: SecondsAhead): TimeBuckets {
  const startSeconds = Math.floor(range.start / 1e6);
  const ahead = secondsAhead(startSeconds);
  const local = Math.floor((startSeconds + ahead) / granularity) * granularity;
  // An hour in which clocks are set back occurs twice, as two buckets: only longer ones follow the clocks.
  const runs =
    granularity > hourSeconds
      ? runsByClocks(range, granularity, local, secondsAhead)
      : [{ first: local - ahead, count: bucketsFrom(local - ahead, range, granularity) }];
  return { ...range, granularity, runs, count: runs.reduce((sum, { count }) => sum + count, 0) };
}

function bucketsFrom(first: number, { end }: TimeRange, granularity: number): number {
  return Math.max(0, Math.ceil((end / 1e6 - first) / granularity));
}

function runsByClocks({ end }: TimeRange, granularity: number, from: number, secondsAhead: SecondsAhead): BucketRun[] {
  const runs: BucketRun[] = [];
  for (let local = from; ; local += granularity) {
    const start = timeOf(local, secondsAhead);
    if (start * 1e6 >= end) return runs;
    const last = runs.at(-1);
    if (last && start === last.first + last.count * granularity) last.count++;
    else runs.push({ first: start, count: 1 });
  }
}

/** When clocks show a local time: the first time if they show it twice, and the change of clocks if they skip it. */
function timeOf(local: number, secondsAhead: SecondsAhead): number {
  const before = local - secondsAhead(local - daySeconds);
  const after = local - secondsAhead(before);
  return secondsAhead(after) === secondsAhead(before) ? after : before;
}

const bucketsMax = 10_000;
const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

function suiting(rangeSeconds: number): number {
  if (rangeSeconds <= 2 * hourSeconds) return 300;
  if (rangeSeconds <= 12 * hourSeconds) return hourSeconds;
  if (rangeSeconds <= 3 * daySeconds) return 6 * hourSeconds;
  if (rangeSeconds <= 14 * daySeconds) return 12 * hourSeconds;
  return daySeconds;
}
