import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CountedList } from './counted-list.ts';

const all = <Element>(list: CountedList<Element>) => [...list.runs()].flat();

test('does what an array does', () => {
  const change = fc.record({ isInsert: fc.boolean(), at: fc.double({ min: 0, max: 1, noNaN: true }) });
  fc.assert(
    fc.property(fc.nat(2000), fc.array(change, { maxLength: 1500 }), (size, changes) => {
      const array = Array.from({ length: size }, (_, i) => i);
      const list = new CountedList(array);
      for (const [i, { isInsert, at }] of changes.entries()) {
        if (isInsert) {
          const index = Math.round(at * array.length);
          array.splice(index, 0, -i);
          list.insert(index, -i);
        } else if (array.length > 0) {
          const index = Math.floor(at * (array.length - 1));
          expect(list.remove(index)).toBe(array.splice(index, 1)[0]);
        }
      }
      expect(list.length).toBe(array.length);
      expect(all(list)).toEqual(array);
    }),
    { numRuns: 50 },
  );
});

test('can be emptied and filled again', () => {
  const list = new CountedList(Array.from({ length: 70_000 }, (_, i) => i));
  for (let i = 0; i < 70_000; i++) expect(list.remove(0)).toBe(i);
  expect(all(list)).toEqual([]);
  for (let i = 0; i < 70_000; i++) list.insert(0, i);
  expect(list.length).toBe(70_000);
  expect(all(list)[0]).toBe(69_999);
});

test('keeps its nodes small: a change moves hundreds of elements, not a million', () => {
  const list = new CountedList(Array(1_000_000).fill(0));
  for (let i = 0; i < 100_000; i++) list.insert(0, i);
  expect(Math.max(...[...list.runs()].map((run) => run.length))).toBeLessThanOrEqual(256);
});
