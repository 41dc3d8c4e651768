import { badRequest, ValidationError } from '../../contract/errors.ts';
import type { Micros } from '../calls/call-row.ts';

/** From `start` up to, and without, `end`. */
export type StatsWindow = { start: Micros; end: Micros };

export const windowMaxMs = 31 * 24 * 3600 * 1000;

/** @throws ValidationError for a span that ends before it starts, or is longer than 31 days */
export function statsWindow(start: Micros, end: Micros): StatsWindow {
  if (end < start) throw invalid('end must not be before start');
  if ((end - start) / 1000 > windowMaxMs) throw invalid('The span from start to end must not be longer than 31 days');
  return { start, end };
}

export function invalid(msg: string): ValidationError {
  return new ValidationError([{ type: 'value_error', loc: ['body'], msg: `Value error, ${msg}` }]);
}

/** How many seconds a bucket is long: as wanted or as suits the span, and so that buckets are not too many. */
export function granularityOf({ start, end }: StatsWindow, wanted: number | null): number {
  if (wanted !== null && wanted <= 0) throw invalid(`granularity must be greater than 0, found ${wanted}`);
  const seconds = (end - start) / 1e6;
  const chosen = wanted ?? granularities.find(({ upTo }) => seconds <= upTo)?.granularity ?? day;
  return seconds / chosen > bucketsMax ? Math.floor(seconds / bucketsMax) + 1 : chosen;
}

const bucketsMax = 10_000;
const hour = 3600;
const day = 24 * hour;
const granularities = [
  { upTo: 2 * hour, granularity: 300 },
  { upTo: 12 * hour, granularity: hour },
  { upTo: 3 * day, granularity: 6 * hour },
  { upTo: 14 * day, granularity: 12 * hour },
];

/** When the first bucket begins: buckets follow the clock of the time zone. @throws ApiError 400 for an unknown zone */
export function firstBucket(start: Micros, granularity: number, timezone: string): Micros {
  const width = granularity * 1e6;
  const offset = zoneOffset(start, timezone);
  return Math.floor((start + offset) / width) * width - offset;
}

/** How far the clocks of a zone are ahead of UTC. */
function zoneOffset(at: Micros, timezone: string): Micros {
  const [, sign, hours, minutes = '0'] = /GMT([+-])(\d{2}):?(\d{2})?/.exec(zoneName(at, timezone)) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60e6;
}

function zoneName(at: Micros, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).format(at / 1000);
  } catch {
    throw badRequest(`Unknown timezone ${timeZone}: expected a name such as UTC or Europe/Berlin`);
  }
}
