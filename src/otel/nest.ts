import { EmbeddedJson, isIndex, opened, type Tree, type TreeObject } from './tree.ts';

/** Attributes that form no tree: `a` is a plain value, and there is an `a.b`. */
export class AttributeConflictError extends Error {
  constructor(key: string, inside: string) {
    super(
      `Invalid attribute structure: '${key}' is a plain value, and '${inside}' needs it to hold others. ` +
        `Send one of the two, or the plain value as '${key}.value'.`,
    );
    this.name = 'AttributeConflictError';
  }
}

/**
 * Puts values at the places their dotted keys name. What comes later adds to objects and lists that are there and
 * replaces plain values; an object whose keys are 0, 1, 2 … becomes a list.
 */
export function nest(values: Iterable<[string, Tree]>): TreeObject {
  const root: TreeObject = new Map();
  let hasIndexes = false;
  for (const [key, value] of values) {
    const path = segments(key);
    place(root, path, value, key);
    hasIndexes ||= path.some(isIndex);
  }
  if (hasIndexes) for (const [key, member] of root) root.set(key, withLists(member));
  return root;
}

/** A key of more dots than this keeps the rest of them, so that no key nests deeper than JSON readers go. */
const segmentsMax = 30;

function segments(key: string): string[] {
  const parts = key.split('.');
  return parts.length <= segmentsMax
    ? parts
    : [...parts.slice(0, segmentsMax - 1), parts.slice(segmentsMax - 1).join('.')];
}

function place(root: TreeObject, path: string[], value: Tree, key: string): void {
  let current = root;
  for (let i = 0; i < path.length - 1; i++) current = descend(current, path, i, key);
  const last = path.at(-1)!;
  const existing = current.get(last);
  if (!isStructure(existing)) current.set(last, value);
  else if (isStructure(value)) current.set(last, merged(existing, value));
  else if (value !== null) throw new AttributeConflictError(key, `${key}.*`);
}

/** The object at one step of a path, made where there is nothing; a list opens up for a key that counts. */
function descend(parent: TreeObject, path: string[], step: number, key: string): TreeObject {
  const name = path[step]!;
  const existing = opened(parent.get(name));
  if (existing instanceof Map) {
    parent.set(name, existing); // in place of the text it was parsed from, which it is about to outgrow
    return existing;
  }
  const isOpenable = Array.isArray(existing) && isIndex(path[step + 1]!);
  if (existing !== undefined && existing !== null && !isOpenable) {
    throw new AttributeConflictError(path.slice(0, step + 1).join('.'), key);
  }
  const made = isOpenable ? byIndex(existing) : new Map<string, Tree>();
  parent.set(name, made);
  return made;
}

function isStructure(value: Tree | undefined): value is Tree[] | TreeObject | EmbeddedJson {
  return value instanceof Map || Array.isArray(value) || value instanceof EmbeddedJson;
}

/** Both, the second on top; a list counts as an object with its indexes for keys. */
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

/** Objects with the keys 0 … n-1, in any order, as lists. What came as embedded JSON stays as it came. */
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
