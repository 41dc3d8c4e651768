import { JsonNumber, type LosslessJson, parseLossless } from '../util/json/lossless.ts';

/** JSON in the attributes of a span: exact numbers, ordered keys, and embedded JSON text kept as text. */
export type Tree = null | boolean | string | JsonNumber | EmbeddedJson | Tree[] | TreeObject;
export type TreeObject = Map<string, Tree>;

/** An object or array that was sent as JSON text, minified; parsed only when something inside it is read. */
export class EmbeddedJson {
  readonly text: string;
  #tree: LosslessJson[] | Map<string, LosslessJson> | null = null;

  constructor(text: string) {
    this.text = text;
  }

  get tree(): Tree[] | TreeObject {
    this.#tree ??= parseLossless(this.text) as LosslessJson[] | Map<string, LosslessJson>; // by its first character
    return this.#tree;
  }
}

/** The value itself, parsed if it is embedded JSON. */
export function opened(value: Tree | undefined): Exclude<Tree, EmbeddedJson> | undefined {
  return value instanceof EmbeddedJson ? value.tree : value;
}

/** The value at a path of keys; a numeric key also indexes a list. Undefined if there is none. */
export function valueAt(tree: TreeObject, path: readonly string[]): Tree | undefined {
  let current: Tree | undefined = tree;
  for (let i = 0; i < path.length; i++) {
    const key = path[i]!;
    const container = opened(current);
    if (container instanceof Map) current = container.get(key);
    else if (Array.isArray(container) && isIndex(key)) current = container[Number(key)];
    else if (container !== undefined)
      current = tree.get(path.slice(0, i + 1).join('.')); // see `nest`
    else return undefined;
  }
  return current;
}

/** Truthiness as in Python, which the tables of conventions use: 0, "", false, null and empty values are false. */
export function isTruthy(value: Tree | undefined): boolean {
  if (value === undefined || value === null) return false;
  if (value instanceof JsonNumber) return Number(value.text) !== 0;
  if (value instanceof EmbeddedJson) return value.text.length > 2;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  return value !== '' && value !== false;
}

/** Writes minified JSON. */
export function writeTree(value: Tree): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof JsonNumber || value instanceof EmbeddedJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeTree).join(',')}]`;
  if (value instanceof Map) return writeMembers(value);
  return String(value);
}

export function writeMembers(members: Iterable<[string, Tree]>): string {
  let text = '';
  for (const [key, value] of members) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${writeTree(value)}`;
  return `{${text}}`;
}

/** The value as plain text: a string unchanged, null and undefined as empty text, all else as JSON. */
export function plainText(value: Tree | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : writeTree(value);
}

/** An integer, also from text or a fraction, as in Python's `int()`; null if it is not one. */
export function wholeNumber(value: Tree | undefined): number | null {
  if (typeof value === 'boolean') return Number(value);
  const text = value instanceof JsonNumber ? value.text : typeof value === 'string' ? value.trim() : '';
  if (!/^[+-]?\d/.test(text) || (typeof value === 'string' && !/^[+-]?\d+$/.test(text))) return null;
  const number = Math.trunc(Number(text));
  return Number.isSafeInteger(number) ? number : null;
}

export function isIndex(key: string): boolean {
  return /^\d+$/.test(key);
}
