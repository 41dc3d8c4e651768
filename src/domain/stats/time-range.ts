import { invalidField } from '../../util/failures.ts';
import type { Micros } from '../calls/call-row.ts';

/** A time range without its end. */
export type TimeRange = { start: Micros; end: Micros };

export const rangeMaxDays = 31;

/** @throws ValidationError for a range that ends before it starts, and for one too long for statistics. */
export function timeRange(start: Micros, end: Micros): TimeRange {
  if (end < start) throw invalidField('end', 'end must not lie before start');
  if (end - start > rangeMaxDays * dayMicros) {
    throw invalidField('end', `start and end must not lie more than ${rangeMaxDays} days apart`);
  }
  return { start, end };
}

/** The range in whole seconds: fractions are truncated. */
export function inWholeSeconds({ start, end }: TimeRange): TimeRange {
  return { start: Math.floor(start / 1e6) * 1e6, end: Math.floor(end / 1e6) * 1e6 };
}

const dayMicros = 24 * 3600 * 1e6;
