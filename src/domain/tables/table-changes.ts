import type { TableChange } from '../../contract/tables/update.ts';
import { CountedList } from '../../util/counted-list.ts';
import { invalidInput } from '../../util/failures.ts';
import type { JsonText } from '../../util/json/json-text.ts';
import { mapInTurns } from '../../util/turns.ts';

/**
 * Applies changes, in order, to a copy of a table's list, with pauses for other work. `touched` has for each change the
 * digest that it appended, inserted or removed.
 * @throws Failure for an index that the list does not have at that point.
 */
export async function applyChanges(
  base: readonly string[],
  changes: TableChange[],
  digestOf: (row: JsonText) => string,
): Promise<{ rowDigests: string[]; touched: string[] }> {
  const list = new CountedList(base);
  const touched = await mapInTurns(changes, (change) => {
    if ('append' in change) return put(list, list.length, digestOf(change.append.row));
    if ('insert' in change) return put(list, change.insert.index, digestOf(change.insert.row));
    return take(list, change.pop.index);
  });
  const rowDigests: string[] = [];
  for (const run of list.runs()) for (const digest of run) rowDigests.push(digest);
  return { rowDigests, touched };
}

/** The rows that changes add. */
export function rowsOf(changes: TableChange[]): JsonText[] {
  return changes.flatMap((change) => {
    if ('append' in change) return [change.append.row];
    return 'insert' in change ? [change.insert.row] : [];
  });
}

function put(list: CountedList<string>, index: number, digest: string): string {
  if (index < 0 || index > list.length) throw invalidInput('Index out of range');
  list.insert(index, digest);
  return digest;
}

function take(list: CountedList<string>, index: number): string {
  if (index < 0 || index >= list.length) throw invalidInput('Index out of range');
  return list.remove(index);
}
