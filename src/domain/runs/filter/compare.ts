import { parseTimestamp } from '../../../util/timestamp.ts';

/**
 * The order of two values; null if they cannot be compared. Times are compared with what a client writes for them: text as
 * in ISO 8601, or seconds or milliseconds since 1970. NaN is in no order.
 */
export function compareValues(found: unknown, wanted: unknown): number | null {
  if (found instanceof Date) {
    const time = timeOf(wanted);
    return time === null ? null : found.getTime() - time;
  }
  if (typeof found === 'number' && typeof wanted === 'number') return Number.isNaN(found) ? null : found - wanted;
  if (typeof found === 'string' && typeof wanted === 'string') return found < wanted ? -1 : found > wanted ? 1 : 0;
  if (typeof found === 'boolean' && typeof wanted === 'boolean') return Number(found) - Number(wanted);
  return null;
}

/** Equal as in MongoDB: null equals what is missing, and a list equals its elements. */
export function equals(found: unknown, wanted: unknown): boolean {
  if (wanted === null) return found === null || found === undefined;
  if (found instanceof Date) return compareValues(found, wanted) === 0;
  if (Array.isArray(found) && !Array.isArray(wanted)) return found.some((each) => equals(each, wanted));
  if (typeof found === 'object' || typeof wanted === 'object') return JSON.stringify(found) === JSON.stringify(wanted);
  return found === wanted;
}

/** In milliseconds; null if it is not a time. */
export function timeOf(value: unknown): number | null {
  if (value instanceof Date) return value.getTime();
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const microseconds = parseTimestamp(value);
  return microseconds === null ? null : microseconds / 1000;
}
