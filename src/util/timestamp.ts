/**
 * Times as heddle stores them: whole microseconds since 1970, UTC, as a number. A number is exact up to ±(2^53 − 1),
 * which covers 1684 to 2255; `isExactTime` says whether a time can be stored.
 */

const isoPattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const unixPattern = /^[+-]?\d+(\.\d*)?$/;

/** Numbers above this are milliseconds, below it seconds: Pydantic's rule. */
const secondsMax = 2e10;

/**
 * Parses a time as clients write it: ISO 8601 with `T` or a space, with a zone or in UTC, a date alone, or Unix seconds
 * (above 2e10: milliseconds) as a number or numeric string. Digits beyond microseconds are truncated, and so is the
 * fraction of a time that is not exact. Null if it is not a time.
 */
export function parseTimestamp(value: string | number): number | null {
  if (typeof value === 'number') return fromUnix(value);
  const trimmed = value.trim();
  if (unixPattern.test(trimmed)) return fromUnix(Number(trimmed));
  const match = isoPattern.exec(trimmed);
  if (!match) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const fields = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const milliseconds = utc(...fields);
  const offset = zoneOffsetMs(zone);
  if (milliseconds === null || offset === null) return null;
  const seconds = (milliseconds - offset) * 1000;
  const time = seconds + Number(fraction.slice(0, 6).padEnd(6, '0'));
  return isExactTime(time) ? time : seconds; // rounding could move it into another second, or out of the year 9999
}

/** Whether a time is exact: only such times can be stored and returned. */
export function isExactTime(microseconds: number): boolean {
  return Number.isSafeInteger(microseconds);
}

/** Whether a number of seconds or milliseconds is too large for any time; false for anything that is not a number. */
export function isBeyondTime(value: string | number): boolean {
  const number = typeof value === 'number' || unixPattern.test(value.trim()) ? Number(value) : Number.NaN;
  return !Number.isNaN(number) && fromUnix(number) === null;
}

/**
 * Formats a time as `YYYY-MM-DDTHH:MM:SSZ`, or with exactly six fractional digits if the fraction is not 0. Times
 * before the year 1 or after 9999 are formatted as the nearest time that can be.
 */
export function formatTimestamp(time: number): string {
  const microseconds = Math.min(Math.max(time, yearOne), lastOfYear9999);
  const fraction = ((microseconds % 1e6) + 1e6) % 1e6;
  const seconds = formatSecond((microseconds - fraction) / 1000);
  return fraction === 0 ? `${seconds}Z` : `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}

/** Times formatted together are often in the same second. */
let lastSecond = { milliseconds: 0, text: '1970-01-01T00:00:00' };

function formatSecond(milliseconds: number): string {
  if (lastSecond.milliseconds !== milliseconds) {
    lastSecond = { milliseconds, text: new Date(milliseconds).toISOString().slice(0, 19) };
  }
  return lastSecond.text;
}

const yearOne = -62_135_596_800e6;
/** The last second: microseconds in that year are not exact numbers. */
const lastOfYear9999 = 253_402_300_799e6;

export function nowMicroseconds(): number {
  return Date.now() * 1000;
}

function fromUnix(value: number): number | null {
  const seconds = Math.abs(value) > secondsMax ? value / 1000 : value;
  const microseconds = Math.round(seconds * 1e6);
  return Math.abs(microseconds) < 253_402_300_800e6 ? microseconds : null;
}

function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number | null {
  if (hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(Date.UTC(2000, month - 1, day, hour, minute, second));
  date.setUTCFullYear(year, month - 1, day);
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.getTime() : null;
}

function zoneOffsetMs(zone: string): number | null {
  if (zone.toUpperCase() === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return null;
  return (zone[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
