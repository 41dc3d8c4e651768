import { ValidationError } from '../../contract/errors.ts';
import type { Micros } from '../calls/call-row.ts';

/** A span of time, its end outside of it, cut into equal buckets. */
export type TimeBuckets = {
  start: Micros;
  end: Micros;
  /** Seconds a bucket spans. */
  granularity: number;
  /** Where the first bucket starts, in seconds since 1970: not after `start`. */
  first: number;
  count: number;
};

/**
 * Cuts a span into buckets that start at multiples of the granularity since 1970, in every time zone. Without a
 * granularity one is chosen that suits the span; one that gives too many buckets is raised.
 * @throws ValidationError for a span that is too long or ends before it starts, and for a granularity below 1.
 */
export function timeBuckets(start: Micros, end: Micros, granularity: number | null): TimeBuckets {
  if (end < start) throw invalid('end', 'end must not lie before start');
  if (end - start > rangeMaxDays * daySeconds * 1e6) {
    throw invalid('end', `start and end must not lie more than ${rangeMaxDays} days apart`);
  }
  if (granularity !== null && granularity < 1) {
    throw invalid('granularity', `granularity must be at least 1 second, found ${granularity}`);
  }
  const [from, to] = [wholeSeconds(start), wholeSeconds(end)];
  const chosen = cut(from, to, granularity ?? suiting(to - from));
  const fitting = chosen.count > bucketsMax ? cut(from, to, Math.floor((to - from) / bucketsMax) + 1) : chosen;
  return { start, end, ...fitting };
}

/** Where each bucket starts, in seconds since 1970. */
export function bucketStarts({ first, granularity, count }: TimeBuckets): number[] {
  return Array.from({ length: count }, (_, index) => first + index * granularity);
}

function cut(from: number, to: number, granularity: number) {
  const first = Math.floor(from / granularity) * granularity;
  return { granularity, first, count: Math.max(0, Math.ceil((to - first) / granularity)) };
}

const rangeMaxDays = 31;
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

function wholeSeconds(micros: Micros): number {
  return Math.floor(micros / 1e6);
}

function invalid(field: string, msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body', field], msg }]);
}
