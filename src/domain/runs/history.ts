import { randomInt } from 'node:crypto';
import { parseJson } from '../../util/json/parse.ts';

/** A row of a run's history: what one `run.log` reported. */
export type HistoryRow = Record<string, unknown>;

/** The row of a line; null for a line that is not a JSON object. `NaN` and infinities become null. */
export function parseHistoryRow(line: string): HistoryRow | null {
  try {
    const row = parseJson(line);
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as HistoryRow) : null;
  } catch {
    return null;
  }
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
