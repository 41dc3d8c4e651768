import { expect, test } from 'vitest';
import { ByteBoundedMap } from './byte-bounded-map.ts';

test('drops the oldest entries when all of them together are too large', () => {
  const map = new ByteBoundedMap<string, number>(10, (size) => size);
  for (const key of ['a', 'b', 'c']) map.set(key, 4);
  expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([undefined, 4, 4]);
});

test('drops an entry that is too large by itself', () => {
  const map = new ByteBoundedMap<string, number>(10, (size) => size);
  map.set('a', 4);
  map.set('b', 11);
  expect([map.get('a'), map.get('b')]).toEqual([undefined, undefined]);
});
