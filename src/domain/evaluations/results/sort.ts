import type { EvalResultsSort } from '../../../contract/eval-results/query.ts';
import { compareCodePoints } from '../../../util/compare-code-points.ts';
import { invalidInput } from '../../../util/failures.ts';
import { parseResultField, type ResultField, readField } from './field.ts';
import { mean, toNumber } from './numbers.ts';
import type { ResultRow, Trial } from './trial.ts';

export type RowOrder = {
  field: ResultField;
  direction: 'asc' | 'desc';
  evaluationId: string | null;
  isDifference: boolean;
};

/**
 * @param evaluationCount the number of requested evaluations: a difference needs two
 * @throws Failure for a field that rows cannot be sorted by
 */
export function parseRowOrder(sorts: readonly EvalResultsSort[], evaluationCount: number): RowOrder[] {
  return sorts.map(({ field: name, direction, evaluation_call_id, mode }) => {
    const field = parseResultField(name);
    if (field === null || field.root === 'row_digest') {
      throw invalidInput(`Unsupported sort field: '${name}'. Supported: scores.*, inputs.*, output.*.`);
    }
    if (mode === 'difference' && field.root !== 'scores') {
      throw invalidInput(`mode='difference' only supports numeric fields (scores.*), got '${name}'.`);
    }
    const isDifference = mode === 'difference' && evaluationCount > 1;
    return { field, direction, evaluationId: isDifference ? null : evaluation_call_id, isDifference };
  });
}

/** The rows in this order; equal rows stay ordered by digest. */
export function sortRows(rows: ResultRow[], orders: readonly RowOrder[]): ResultRow[] {
  const keys = new Map(rows.map((row) => [row, orders.map((order) => keyOf(row, order))]));
  return rows.toSorted((a, b) => {
    const [left, right] = [keys.get(a)!, keys.get(b)!];
    for (const [i, { direction }] of orders.entries()) {
      const compared = compareKeys(left[i]!, right[i]!, direction);
      if (compared !== 0) return compared;
    }
    return compareCodePoints(a.digest, b.digest);
  });
}

/** Rows without a number follow those with one, in both directions. */
type Key = { number: number | null; text: string };

function compareKeys(a: Key, b: Key, direction: 'asc' | 'desc'): number {
  if (a.number !== null && b.number !== null && a.number !== b.number) {
    return (a.number < b.number ? -1 : 1) * (direction === 'asc' ? 1 : -1);
  }
  if ((a.number === null) !== (b.number === null)) return a.number === null ? 1 : -1;
  return compareCodePoints(a.text, b.text) * (direction === 'asc' ? 1 : -1);
}

function keyOf({ trials }: ResultRow, { field, evaluationId, isDifference }: RowOrder): Key {
  if (isDifference) {
    const means = [...Map.groupBy(trials, (trial) => trial.evaluationId).values()].flatMap(
      (each) => meanOf(each, field) ?? [],
    );
    return { number: means.length > 0 ? Math.max(...means) - Math.min(...means) : null, text: '' };
  }
  const meant = evaluationId === null ? trials : trials.filter((trial) => trial.evaluationId === evaluationId);
  if (field.root === 'scores') return { number: meanOf(meant, field), text: '' };
  const found = meant.map((trial) => readField(field, trial)).find((value) => value !== null) ?? null;
  return { number: toNumber(found), text: found === null ? '' : textOf(found) };
}

function meanOf(trials: Trial[], field: ResultField): number | null {
  return mean(trials.flatMap((trial) => toNumber(readField(field, trial)) ?? []));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
