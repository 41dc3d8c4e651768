import type { HistoryRow } from './history.ts';
import { stepOf } from './history.ts';

/** What clients learn of the columns of a history: how many rows have each, with values of which types, and the last one. */
export type HistoryKeys = {
  keys: Record<string, HistoryKey>;
  sets: never[];
  lastStep: number;
};

type HistoryKey = {
  typeCounts: { type: string; count: number }[];
  /** Whether its numbers never decrease. */
  monotonic: boolean;
  previousValue: unknown;
};

/** Counts columns row by row. Objects within a row have a column for each of their values, such as `eval.loss`. */
export class HistoryKeyCounter {
  readonly #keys = new Map<string, HistoryKey>();
  #rows = 0;
  #lastStep = 0;

  add(row: HistoryRow): void {
    this.#rows++;
    this.#lastStep = Math.max(this.#lastStep, stepOf(row));
    this.#addBelow('', row);
  }

  /** Null if there was no row. */
  result(): HistoryKeys | null {
    if (this.#rows === 0) return null;
    return { keys: Object.fromEntries(this.#keys), sets: [], lastStep: this.#lastStep };
  }

  #addBelow(path: string, values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) {
      const key = `${path}${name}`;
      if (isObject(value) && typeof value._type !== 'string') this.#addBelow(`${key}.`, value);
      else this.#addValue(key, value);
    }
  }

  #addValue(name: string, value: unknown): void {
    const known = this.#keys.get(name);
    if (known === undefined && this.#keys.size >= keysMax) return;
    const key = known ?? { typeCounts: [], monotonic: true, previousValue: undefined };
    const type = typeOf(value);
    const counted = key.typeCounts.find((each) => each.type === type);
    if (counted) counted.count++;
    else key.typeCounts.push({ type, count: 1 });
    key.monotonic &&= typeof value === 'number' && !(value < (key.previousValue as number));
    key.previousValue = value;
    this.#keys.set(name, key);
  }
}

/** Enough for every program, and little memory for a run whose rows all have other columns. */
const keysMax = 10_000;

/** Media are objects with a type of their own, such as `image-file`. */
function typeOf(value: unknown): string {
  if (value === null) return 'nil';
  if (Array.isArray(value)) return 'list';
  return isObject(value) ? (value._type as string) : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
