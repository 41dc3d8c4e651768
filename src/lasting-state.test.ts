import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { collections, lastingStateIn } from './testing/find-lasting-state.ts';
import { lastingState } from './testing/lasting-state.ts';

const src = import.meta.dirname;
const files = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts', '**/testing/**'] }).sort();

test('each map and set that outlives a request is listed with the reason why it is right with several processes', () => {
  const found = files.flatMap((file) => stateOf(file).map((name) => `${file} ${name}`));
  const listed = Object.values(lastingState).flat();
  const [missing, gone] = [without(found, listed), without(listed, found)];
  const message =
    'List what is new in src/testing/lasting-state.ts, under the reason why it is right with several processes, and remove what is gone.';
  expect({ missing, gone }, message).toEqual({ missing: [], gone: [] });
});

test('no map or set is listed twice', () => {
  const listed = Object.values(lastingState).flat();
  expect(listed.filter((each, i) => listed.indexOf(each) !== i)).toEqual([]);
});

test.each([
  ['const known = new Map(); export const f = () => known.get(1);', ['known']],
  ['const names = new Set(["a"]);', []],
  ['const made = new Map([]); export function f() { made.set(1, 2); }', ['made']],
  ['class A { readonly #known = new Set<string>(); }', ['A.#known']],
  ['class A { known; constructor() { this.known = new Map(); } }', ['A.known']],
  ['function openA() { const known = new Map(); return { get: () => known.get(1) }; }', ['openA.known']],
  [
    'function openA() { const known = new LRUCache({ max: 1 }); function get() { known.get(1); } return { get }; }',
    ['openA.known'],
  ],
  ['const counter = () => { const seen = new Set(); return (x) => seen.add(x); };', ['counter.seen']],
  ['function openB() { const [a, b] = [new Map(), new Map<K, V>()]; return { get: () => a.get(1) }; }', ['openB.a, b']],
  ['let known; export function get() { known ??= new Map(); return known; }', ['known']],
  [
    'function openA() { let known = null; const get = () => { known ??= new Map(); }; return { get }; }',
    ['openA.known'],
  ],
  ['function count(list) { let seen; seen = new Set(); return list.map(() => { seen = new Set(); }); }', []],
  ['function openA() { const known = new Map(); const a = { get: () => known.get(1) }; return a; }', ['openA.known']],
  ['function openQueue() { return { waiting: new Set() }; }', ['openQueue.waiting']],
  ['function openC() { return { ids: [...new Set([1])] }; }', []],
  ['function unique(list) { const seen = new Set(); return list.filter((x) => seen.add(x)); }', []],
])('%s keeps %j', (text, kept) => {
  expect(lastingStateIn(text)).toEqual(kept);
});

function without(names: string[], others: string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

function stateOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8');
  return collections.some((name) => text.includes(`new ${name}`)) ? lastingStateIn(text) : [];
}
