import { randomInt } from 'node:crypto';
import { parseJson } from '../../util/json/parse.ts';

/** A row of a run's history: what one `run.log` reported. */
export type HistoryRow = Record<string, unknown>;

/** The row of a line, with `NaN` and infinities as numbers; null for a line that is not a JSON object. */
export function parseHistoryRow(line: string): HistoryRow | null {
  try {
    const row = nonFinite.test(line) ? restore(parseJson(quoteNonFinite(line))) : parseJson(line);
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as HistoryRow) : null;
  } catch {
    return null;
  }
}

/** The line of a row, with `NaN` and infinities as Python writes them. */
export function writeHistoryRow(row: HistoryRow): string {
  const text = JSON.stringify(row, (_key, value) => (isNonFinite(value) ? mark + value : value));
  return text.includes(writtenMark) ? text.replace(markedInText, '$1') : text;
}

/** The value with `NaN` and infinities as strings, as W&B sends them where JSON allows nothing else. */
export function withTextForNonFinite(value: unknown): unknown {
  if (isNonFinite(value)) return String(value);
  return mapBelow(value, withTextForNonFinite);
}

const nonFinite = /NaN|Infinity/;
/** The prefix of a string for a number that JSON does not have. */
const mark = '\0number:';
const writtenMark = JSON.stringify(mark).slice(1, -1);
const markedInText = /"\\u0000number:(NaN|-?Infinity)"/g;

function quoteNonFinite(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : `"${writtenMark}${token}"`,
  );
}

function restore(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith(mark)) return Number(value.slice(mark.length));
  return mapBelow(value, restore);
}

function mapBelow(value: unknown, map: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, map(each)]));
}

function isNonFinite(value: unknown): value is number {
  return typeof value === 'number' && !Number.isFinite(value);
}

/** Keeps a number of rows, each with the same probability, however many there are. */
export class RowSample<Row> {
  readonly #limit: number;
  readonly #kept: { position: number; row: Row }[] = [];
  #seen = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(row: Row): void {
    const position = this.#seen++;
    if (position < this.#limit) this.#kept.push({ position, row });
    else {
      const place = randomInt(position + 1);
      if (place < this.#limit) this.#kept[place] = { position, row };
    }
  }

  /** In their own order. */
  rows(): Row[] {
    return this.#kept.toSorted((a, b) => a.position - b.position).map(({ row }) => row);
  }
}

/** The step of a row, which clients count. */
export function stepOf(row: HistoryRow): number {
  return typeof row._step === 'number' ? row._step : 0;
}

/** The value of a column, which may be inside an object, as in `eval.loss`; undefined if the row has none. */
export function columnOf(row: HistoryRow, name: string): unknown {
  if (Object.hasOwn(row, name)) return row[name];
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const inside = Object.hasOwn(row, outer) ? row[outer] : undefined;
    if (typeof inside !== 'object' || inside === null || Array.isArray(inside)) continue;
    const value = columnOf(inside as HistoryRow, name.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}
