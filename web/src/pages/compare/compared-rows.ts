import type { Call } from '../../api/calls.ts';
import { entriesOf, type JsonPath, pathKey, pathText, shownLeaf } from '../../components/json/json-paths.ts';

/** A place in the calls, and the value that each of them has there; null where it has none. */
export type ComparedRow = { key: string; name: string; texts: (string | null)[]; isDifferent: boolean };

export type ComparedSection<Row = ComparedRow> = { title: string; rows: Row[]; isCut: boolean };

export const rowsMax = 400;

/** What calls have in common and where they differ, part by part. */
export function comparedSections(calls: (Call | null)[]): ComparedSection[] {
  return [
    section('Inputs', calls, (call) => call.inputs),
    section('Output', calls, (call) => (call.exception ? { exception: call.exception } : (call.output ?? null))),
    section('Attributes', calls, (call) => call.attributes),
  ];
}

/** The values in a part of each call. */
export function section(
  title: string,
  calls: (Call | null)[],
  read: (call: Call, index: number) => unknown,
): ComparedSection {
  const leaves = calls.map((call, index) => (call === null ? new Map<string, Leaf>() : leavesOf(read(call, index))));
  const places = new Map(leaves.flatMap((each) => [...each].map(([key, { path }]) => [key, path] as const)));
  const isPresent = calls.map((call) => call !== null);
  const rows = [...places].map(([key, path]): ComparedRow => {
    const texts = leaves.map((each) => each.get(key)?.text ?? null);
    const compared = texts.filter((_, index) => isPresent[index]);
    return { key, name: pathText(path) || 'value', texts, isDifferent: new Set(compared).size > 1 };
  });
  return { title, rows: rows.slice(0, rowsMax), isCut: rows.length > rowsMax };
}

type Leaf = { path: JsonPath; text: string };

/** The single values in a document. Empty objects and lists count as values. */
function leavesOf(value: unknown): Map<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  const visit = (each: unknown, path: JsonPath): void => {
    if (leaves.size > rowsMax) return;
    const members = entriesOf(each);
    for (const [step, member] of members) visit(member, [...path, step]);
    if (members.length === 0) leaves.set(pathKey(path), { path, text: shownLeaf(each) });
  };
  visit(value, []);
  return leaves;
}
