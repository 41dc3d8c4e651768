import { expect, test } from 'vitest';
import { inWholeSeconds, timeRange } from './time-range.ts';

const day = 24 * 3600 * 1e6;

test('a range lasts at most 31 days and does not end before its start [calls 108] [objects 174]', () => {
  expect(timeRange(day, 32 * day)).toEqual({ start: day, end: 32 * day });
  expect(timeRange(day, day)).toEqual({ start: day, end: day });
  expect(() => timeRange(day, 32 * day + 1)).toThrow(/31 days/);
  expect(() => timeRange(day, day - 1)).toThrow(/before start/);
});

test('cuts off fractions of a second, before 1970 too', () => {
  expect(inWholeSeconds({ start: -1, end: 2_999_999 })).toEqual({ start: -1_000_000, end: 2_000_000 });
});
