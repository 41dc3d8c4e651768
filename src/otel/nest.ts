import { EmbeddedJson, isIndex, opened, type Tree, type TreeObject } from './tree.ts';

/**
 * Puts values at the paths that their dotted keys name. Later values are merged into existing objects and lists and
 * replace plain values; an object whose keys are 0, 1, 2 … becomes a list.
 *
 * A key may be both a value and the prefix of other keys (`agno.agent` and `agno.agent.id`, `error` and `error.type`).
 * Both are kept: the value under its whole key at the top, and the others in the tree. If the whole key is itself a
 * top-level key, its children move up beside it instead (`error`, `error.type`). `valueAt` finds them all.
 */
export function nest(values: Iterable<[string, Tree]>): TreeObject {
  const root: TreeObject = new Map();
  const plain: [key: string, value: Tree][] = [];
  let hasIndexes = false;
  for (const [key, value] of values) {
    const { path, hasIndex } = pathOf(key);
    place(root, path, value, plain);
    hasIndexes ||= hasIndex;
  }
  plain.sort(([a], [b]) => a.length - b.length);
  for (const [key, value] of plain) keepBeside(root, key, value);
  if (hasIndexes) for (const [key, member] of root) root.set(key, withLists(member));
  return root;
}

/** A key with more dots than this keeps the rest of them, so that no key is nested deeper than JSON readers allow. */
const segmentsMax = 30;

type Path = { path: readonly string[]; hasIndex: boolean };

/** Spans repeat their keys. */
const paths = new Map<string, Path>();
const pathsMax = 10_000;

function pathOf(key: string): Path {
  const known = paths.get(key);
  if (known) return known;
  const path = segments(key);
  const made = { path, hasIndex: path.some(isIndex) };
  if (paths.size >= pathsMax) paths.clear();
  if (key.length <= cachedKeyCharsMax) paths.set(key, made);
  return made;
}

const cachedKeyCharsMax = 200;

function segments(key: string): string[] {
  const parts = key.split('.');
  return parts.length <= segmentsMax
    ? parts
    : [...parts.slice(0, segmentsMax - 1), parts.slice(segmentsMax - 1).join('.')];
}

function place(root: TreeObject, path: readonly string[], value: Tree, plain: [string, Tree][]): void {
  let current = root;
  for (let i = 0; i < path.length - 1; i++) current = descend(current, path, i, plain);
  const last = path.at(-1)!;
  const existing = current.get(last);
  if (!isStructure(existing)) current.set(last, value);
  else if (isStructure(value)) current.set(last, merged(existing, value));
  else if (value !== null) plain.push([path.join('.'), value]);
}

/** The object at one step of a path, created if it does not exist; a list is converted for a numeric key. */
function descend(parent: TreeObject, path: readonly string[], step: number, plain: [string, Tree][]): TreeObject {
  const name = path[step]!;
  const existing = opened(parent.get(name));
  if (existing instanceof Map) {
    parent.set(name, existing); // replaces the text it was parsed from, which it is about to outgrow
    return existing;
  }
  const isOpenable = Array.isArray(existing) && isIndex(path[step + 1]!);
  if (existing !== undefined && existing !== null && !isOpenable) {
    plain.push([path.slice(0, step + 1).join('.'), parent.get(name)!]);
  }
  const made = isOpenable ? byIndex(existing) : new Map<string, Tree>();
  parent.set(name, made);
  return made;
}

function keepBeside(root: TreeObject, key: string, value: Tree): void {
  const children = root.get(key);
  root.set(key, value);
  if (!(children instanceof Map)) return;
  for (const [name, child] of children) root.set(`${key}.${name}`, child);
}

function isStructure(value: Tree | undefined): value is Tree[] | TreeObject | EmbeddedJson {
  return value instanceof Map || Array.isArray(value) || value instanceof EmbeddedJson;
}

/** Merges both, the second on top; a list counts as an object with its indexes as keys. */
function merged(below: Tree, above: Tree): TreeObject {
  const result = new Map(asObject(below));
  for (const [key, value] of asObject(above)) {
    const existing = result.get(key);
    result.set(key, isStructure(existing) && isStructure(value) ? merged(existing, value) : value);
  }
  return result;
}

function asObject(value: Tree): TreeObject {
  const structure = opened(value);
  return Array.isArray(structure) ? byIndex(structure) : (structure as TreeObject);
}

function byIndex(list: Tree[]): TreeObject {
  return new Map(list.map((value, index) => [String(index), value]));
}

/** Objects with the keys 0 … n-1, in any order, as lists. Embedded JSON is left unchanged. */
function withLists(value: Tree): Tree {
  if (!(value instanceof Map) || value.size === 0) return value;
  for (const [key, member] of value) value.set(key, withLists(member));
  const list: Tree[] = [];
  for (let index = 0; index < value.size; index++) {
    const member = value.get(String(index));
    if (member === undefined) return value;
    list.push(member);
  }
  return list;
}
