import { expect, test } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

test('a full map forgets what was used least recently', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});
