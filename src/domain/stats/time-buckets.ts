import { invalidField } from '../../util/failures.ts';
import type { Micros } from '../calls/call-row.ts';
import type { TimeRange } from './time-range.ts';

/** A time range, divided into equal buckets. */
export type TimeBuckets = TimeRange & {
  /** The length of a bucket in seconds. */
  granularity: number;
  /** The start of the first bucket, in seconds since 1970: not after `start`. */
  first: number;
  count: number;
};

/**
 * Divides a range into buckets that start at multiples of the granularity since 1970, in a local time that is some
 * seconds ahead of UTC. Without a granularity, one that suits the range is chosen; one that gives too many buckets is
 * increased.
 * @throws ValidationError for a granularity below 1.
 */
export function timeBuckets(start: Micros, end: Micros, granularity: number | null, secondsAhead = 0): TimeBuckets {
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
export function bucketStarts({ first, granularity, count }: TimeBuckets): number[] {
  return Array.from({ length: count }, (_, index) => first + index * granularity);
}

function cut({ start, end }: TimeRange, granularity: number, secondsAhead: number): TimeBuckets {
  const width = granularity * 1e6;
  const first = Math.floor((start + secondsAhead * 1e6) / width) * granularity - secondsAhead;
  return { start, end, granularity, first, count: Math.max(0, Math.ceil((end - first * 1e6) / width)) };
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
