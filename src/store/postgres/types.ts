import { parsePlain } from '../../util/json/parse.ts';

/**
 * How values of PostgreSQL are read, by the number of their type: the same for each kind of store. Whole numbers of 64
 * bits become numbers, since none of ours exceeds 2^53.
 */
export const parsers: Record<number, (text: string) => unknown> = {
  20: Number, // bigint
  114: parsePlain, // json
  1184: parseTime, // timestamptz
  3802: parsePlain, // jsonb
};

/**
 * Reads PostgreSQL's ISO format. As strict ISO 8601, because JavaScript parses `0099-12-31 00:00:00+00` as a time in 1999.
 * The offset is that of the server's time zone; before 1900 it may have seconds, which JavaScript does not parse.
 */
function parseTime(text: string): Date {
  const parts = /^(\d+)(-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/.exec(text);
  if (!parts) return new Date(Number.NaN); // infinity
  const [, year, day, time, sign, hours, minutes = '0', seconds = '0', isBefore] = parts;
  const number = isBefore ? 1 - Number(year) : Number(year);
  const local = new Date(`${isoYear(number)}${day}T${time}Z`).getTime();
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return new Date(local - (sign === '-' ? -1000 : 1000) * offset);
}

function isoYear(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`;
}
