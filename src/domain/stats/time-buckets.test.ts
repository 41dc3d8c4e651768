import { describe, expect, test } from 'vitest';
import { bucketStarts, timeBuckets } from './time-buckets.ts';

const newYear = 1_704_067_200;
const hour = 3600;
const day = 24 * hour;

const over = (seconds: number, granularity: number | null = null, from = newYear) =>
  timeBuckets(from * 1e6, (from + seconds) * 1e6, granularity);

test.each([
  ['2 hours', 2 * hour, 300],
  ['12 hours', 12 * hour, 3600],
  ['3 days', 3 * day, 21_600],
  ['14 days', 14 * day, 43_200],
  ['20 days', 20 * day, 86_400],
])('row 107: %s are cut into buckets that suit', (_name, seconds, granularity) => {
  expect(over(seconds).granularity).toBe(granularity);
  expect(over(seconds).count).toBe(seconds / granularity);
});

test('a second more takes the next granularity', () => {
  expect(over(2 * hour + 1).granularity).toBe(3600);
});

describe('row 109: a granularity that is too fine is raised', () => {
  test('over 30 days', () => {
    expect(over(30 * day, 1)).toMatchObject({ granularity: 260, count: 9970 });
  });

  test('only where it must be', () => {
    expect(over(10_000, 1)).toMatchObject({ granularity: 1, count: 10_000 });
    expect(over(10_001, 1)).toMatchObject({ granularity: 2, count: 5001 });
    expect(over(20_000, 2, newYear + 1)).toMatchObject({ granularity: 3, count: 6667 });
  });
});

test('the first bucket may start before the span, the last one starts before its end', () => {
  const buckets = over(hour, 1800, newYear + 900);
  expect(bucketStarts(buckets)).toEqual([newYear, newYear + 1800, newYear + 3600]);
  expect(bucketStarts(over(hour, 1800))).toEqual([newYear, newYear + 1800]);
  expect(bucketStarts(over(0))).toEqual([]);
});

test('times before 1970 fall into the bucket below them', () => {
  expect(bucketStarts(over(10, 3600, -10))).toEqual([-3600]);
});

test('row 108: the span is at most 31 days, and does not end before it starts', () => {
  expect(over(31 * day).granularity).toBe(86_400);
  expect(() => over(31 * day + 1)).toThrow(/31 days/);
  expect(() => over(-1)).toThrow(/before start/);
});

test.each([0, -5])('a granularity of %d is refused', (granularity) => {
  expect(() => over(hour, granularity)).toThrow(/at least 1 second/);
});
