import { brokenRule } from '../../util/failures.ts';
import { formatTimestamp, isExactTime } from '../../util/timestamp.ts';
import type { Micros } from './call-row.ts';

/**
 * What the store represents exactly. Values outside these ranges are rejected, so that everything accepted is returned
 * as it was sent.
 */

/** @throws Failure for a time whose microseconds are not an exact number. */
export function checkTime(field: string, time: Micros): void {
  if (isExactTime(time)) return;
  throw brokenRule(
    `${field} is out of range`,
    `${field} must lie between ${firstTime} and ${lastTime}, found ${describeTime(time)}`,
  );
}

const firstTime = formatTimestamp(Number.MIN_SAFE_INTEGER);
const lastTime = formatTimestamp(Number.MAX_SAFE_INTEGER);

function describeTime(time: Micros): string {
  const shown = formatTimestamp(time);
  return Number.isFinite(time) ? shown : `a time ${time < 0 ? 'before' : 'after'} ${shown}`;
}

/** Checks a count that may be null, given as digits. @throws Failure if it is negative or too large. */
export function checkCount(field: string, digits: string | null): void {
  if (digits === null) return;
  if (digits.startsWith('-'))
    throw brokenRule(`${field} is negative`, `${field} must not be negative, found ${shortened(digits)}`);
  if (!isInt64(digits))
    throw brokenRule(`${field} is too large`, `${field} must be at most ${int64Max}, found ${shortened(digits)}`);
}

/** Whether these are the digits of a 64-bit integer. */
export function isInt64(digits: string): boolean {
  return /^-?\d{1,19}$/.test(digits) && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

const int64Max = 2n ** 63n - 1n;

function shortened(digits: string): string {
  return digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
}
