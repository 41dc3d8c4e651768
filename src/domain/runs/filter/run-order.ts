import { invalidInput } from '../../../util/failures.ts';
import { compareValues } from './compare.ts';
import { fieldOf, knownFields, type ReadField } from './run-fields.ts';

/** How runs are ordered: by their creation, or by a field. */
export type RunOrder = { isAscending: boolean; read: ReadField | null };

/** The order of a text such as `-created_at` or `+summary_metrics.loss`. @throws Failure for another field */
export function readRunOrder(text: string): RunOrder {
  const isAscending = !text.startsWith('-');
  const name = text.replace(/^[+-]/, '');
  if (name === 'created_at' || name === 'createdAt') return { isAscending, read: null };
  const read = fieldOf(name);
  if (read === null) throw invalidInput(`Runs cannot be ordered by ${text}. The fields are ${knownFields}.`);
  return { isAscending, read };
}

/** Runs without the field come last; what cannot be compared is ordered by its type. */
export function orderOfValues(a: unknown, b: unknown, isAscending: boolean): number {
  const [missingA, missingB] = [a === undefined || a === null, b === undefined || b === null];
  if (missingA || missingB) return Number(missingA) - Number(missingB);
  const order = compareValues(a, b) ?? compareValues(typeof a, typeof b)!;
  return isAscending ? order : -order;
}
