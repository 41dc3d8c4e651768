import { invalidInput } from '../../util/failures.ts';

/**
 * How large a query may be. Within these limits the store takes well under a second to understand one, which nothing can
 * interrupt.
 */
export const queryLimits = {
  /** Operations, literals and fields, those of lists included. */
  operands: 20_000,
  /** Fields that conditions name, other than `id`. */
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
