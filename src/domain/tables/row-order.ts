import { invalidInput } from '../../util/failures.ts';
import { checkCount, queryLimits } from '../query/query-limits.ts';
import type { SortBy } from '../query/sort-by.ts';

/** A sort key: a field inside the row, step by step. A numeric step is an index into a list. */
export type RowOrder = { path: string[]; direction: 'asc' | 'desc' };

/** @throws Failure for an invalid path, and for too many. Dots in keys cannot be escaped. */
export function parseRowOrder(sortBy: SortBy[]): RowOrder[] {
  checkCount('fields in its sort_by', sortBy.length, queryLimits.sortFields);
  return sortBy.map(({ field, direction }) => ({ path: parsePath(field), direction }));
}

function parsePath(field: string): string[] {
  if (field === '') throw invalidInput('Sort field cannot be empty');
  const path = field.split('.');
  checkCount('steps in a sort field', path.length, queryLimits.pathSteps);
  if (path.includes('')) {
    const rule = 'field names cannot start/end with dots or contain consecutive dots';
    throw invalidInput(`Invalid sort field '${field}': ${rule}`);
  }
  if (path.some((step) => step.trim() === '')) {
    throw invalidInput(`Invalid sort field '${field}': field path components cannot be empty`);
  }
  return path;
}
