import { expect, test } from 'vitest';
import { ticksWithin } from './ticks.ts';

test('ticks are round numbers within the range', () => {
  expect(ticksWithin(-0.12, 0.31, 5)).toEqual([-0.1, 0, 0.1, 0.2, 0.3]);
  expect(ticksWithin(0, 60, 6)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(ticksWithin(-1, 1, 4)).toEqual([-1, -0.5, 0, 0.5, 1]);
  expect(ticksWithin(0.041, 0.0427, 3)).toEqual([0.041, 0.042]);
});
