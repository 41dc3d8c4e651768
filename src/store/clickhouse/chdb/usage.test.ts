import { expect, test } from 'vitest';
import { openUsage } from './usage.ts';

test('usage counts half after ten seconds, and groups that used little are forgotten', () => {
  let now = 0;
  const usage = openUsage(() => now);
  usage.add('a', 1000);
  now = 10_000;
  expect(usage.of('a')).toBe(500);
  usage.add('a', 100);
  expect([usage.of('a'), usage.of('b')]).toEqual([600, 0]);
  now = 10_000_000;
  for (let i = 0; i < 1000; i++) usage.add('b', 10);
  expect(usage.of('a')).toBe(0);
  expect(usage.of('b')).toBe(10_000);
});
