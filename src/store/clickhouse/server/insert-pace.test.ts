import { expect, test } from 'vitest';
import { nextInsert, shareOf } from './insert-pace.ts';

test.each([1, 2, 3, 10, 40])('%i processes together keep to the limit', (processes) => {
  const times: number[] = [];
  for (let now = 0; now < 10_000; now = times.at(-1)!) times.push(nextInsert(times, now, shareOf(10, processes)));
  const together = processes * times.filter((time) => time < 10_000).length;
  expect(together).toBeLessThanOrEqual(100 + processes);
  expect(together).toBeGreaterThan(60);
});

test('the first insert after a pause is sent at once', () => {
  expect(nextInsert([0], 1000, shareOf(10, 2))).toBe(1000);
  expect(nextInsert([0], 3999, shareOf(10, 40))).toBe(4000);
  expect(nextInsert([0], 4001, shareOf(10, 40))).toBe(4001);
});
