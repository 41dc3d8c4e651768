import { badRequest } from '../../contract/errors.ts';
import type { TableChange } from '../../contract/tables/update.ts';
import type { JsonText } from '../../util/json/json-text.ts';

/**
 * Applies changes, in order, to a copy of a table's list. `touched` has for each change the digest that it appended,
 * inserted or took away.
 * @throws ApiError 400 for an index that the list, as it is by then, does not have.
 */
export function applyChanges(
  base: readonly string[],
  changes: TableChange[],
  digestOf: (row: JsonText) => string,
): { rowDigests: string[]; touched: string[] } {
  const rowDigests = [...base];
  const touched = changes.map((change) => {
    if ('append' in change) return put(rowDigests, rowDigests.length, digestOf(change.append.row));
    if ('insert' in change) return put(rowDigests, change.insert.index, digestOf(change.insert.row));
    return take(rowDigests, change.pop.index);
  });
  return { rowDigests, touched };
}

/** The rows that changes bring. */
export function rowsOf(changes: TableChange[]): JsonText[] {
  return changes.flatMap((change) => {
    if ('append' in change) return [change.append.row];
    return 'insert' in change ? [change.insert.row] : [];
  });
}

function put(list: string[], index: number, digest: string): string {
  if (index < 0 || index > list.length) throw badRequest('Index out of range');
  list.splice(index, 0, digest);
  return digest;
}

function take(list: string[], index: number): string {
  const [digest] = index < 0 ? [] : list.splice(index, 1);
  if (digest === undefined) throw badRequest('Index out of range');
  return digest;
}
