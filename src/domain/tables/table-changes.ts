import type { TableChange } from '../../contract/tables/update.ts';
import { CountedList } from '../../util/counted-list.ts';
import { invalidInput } from '../../util/failures.ts';
import { tableDigest } from '../digest/digest.ts';
import { concatDigestLists, type DigestList, pickDigests } from '../digest/digest-list.ts';

/** Changes to a list, as {@link stepsOf} encodes them, and the digests of the rows that they add, in the same order. */
export type ListChanges = { steps: Int32Array<ArrayBuffer>; added: DigestList };

/** `touched` has for each change the digest that it appended, inserted or removed. */
export type ChangedList = { digest: string; list: DigestList; touched: DigestList };

/** Encodes each change as two numbers, its kind and its index, in a buffer that can be transferred to another thread. */
export function stepsOf(changes: TableChange[]): Int32Array<ArrayBuffer> {
  const steps = new Int32Array(2 * changes.length);
  changes.forEach((change, i) => {
    if ('append' in change)
      setStep(steps, i, kinds.append, 0); // the index is not used
    else if ('insert' in change) setStep(steps, i, kinds.insert, change.insert.index);
    else setStep(steps, i, kinds.pop, change.pop.index);
  });
  return steps;
}

function setStep(steps: Int32Array, i: number, kind: number, index: number): void {
  steps[2 * i] = kind;
  steps[2 * i + 1] = asInt32(index);
}

/** The JSON of the rows that changes add. */
export function addedRowsOf(changes: TableChange[]): string[] {
  const rows: string[] = [];
  for (const change of changes) {
    if ('append' in change) rows.push(change.append.row.text);
    else if ('insert' in change) rows.push(change.insert.row.text);
  }
  return rows;
}

/**
 * Applies changes, in order, to a table's list.
 * @throws Failure for an index that the list does not have at that point.
 */
export async function changeList(base: DigestList, { steps, added }: ListChanges): Promise<ChangedList> {
  const known = concatDigestLists(base, added);
  const places = new CountedList(Array.from(base.ends, (_, place) => place));
  const touched = new Uint32Array(steps.length / 2);
  let next = base.ends.length;
  for (let i = 0; i < touched.length; i++) {
    const [kind, index] = [steps[2 * i]!, steps[2 * i + 1]!];
    if (kind === kinds.append) touched[i] = put(places, places.length, next++);
    else if (kind === kinds.insert) touched[i] = put(places, index, next++);
    else touched[i] = take(places, index);
  }
  const changed = new Uint32Array(places.length);
  let count = 0;
  for (const run of places.runs()) for (const place of run) changed[count++] = place;
  const list = pickDigests(known, changed);
  return { digest: await tableDigest(list), list, touched: pickDigests(known, touched) };
}

const kinds = { append: 0, insert: 1, pop: 2 };

/** Clamps an index to 32 bits. Lists are shorter, so an index that is out of range stays out of range. */
function asInt32(index: number): number {
  return Math.max(-1, Math.min(index, 2 ** 31 - 1));
}

function put(places: CountedList<number>, index: number, place: number): number {
  if (index < 0 || index > places.length) throw invalidInput('Index out of range');
  places.insert(index, place);
  return place;
}

function take(places: CountedList<number>, index: number): number {
  if (index < 0 || index >= places.length) throw invalidInput('Index out of range');
  return places.remove(index);
}
