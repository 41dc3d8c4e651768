import { invalidInput } from '../../util/failures.ts';

/**
 * The maximum size of a query. Within these limits the store plans a query in well under a second; planning cannot be
 * interrupted.
 */
export const queryLimits = {
  /** Operations, literals and fields, including those in lists. */
  operands: 20_000,
  /** Fields in conditions, other than `id`. */
  fields: 100,
  sortFields: 10,
  /** Fields of feedback that are selected. */
  selectedFields: 100,
  expandedColumns: 100,
  metrics: 50,
  /** Steps of the path of a field. */
  pathSteps: 100,
} as const;

/** @throws Failure that names the limit */
export function checkCount(name: string, found: number, max: number): void {
  if (found > max) throw invalidInput(`A request can have at most ${max} ${name}, this one has ${found}`);
}
