import { expect, test } from 'vitest';
import { openPace } from './pace.ts';

test('the pace of a group follows its last reads', () => {
  const pace = openPace();
  expect(pace.of('a')).toBe(null);
  pace.add('a', 1000);
  expect(pace.of('a')).toBe(1000);
  for (let i = 0; i < 30; i++) pace.add('a', 10);
  expect(pace.of('a')).toBeLessThan(20);
  expect(pace.of('b')).toBe(null);
});
