import { describe, expect, test } from 'vitest';
import { zonedTime } from '../../util/zoned-time.ts';
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
])('chooses the bucket size of a range of %s [calls 107]', (_name, seconds, granularity) => {
  expect(over(seconds).granularity).toBe(granularity);
  expect(over(seconds).count).toBe(seconds / granularity);
});

test('chooses the next size for a second more', () => {
  expect(over(2 * hour + 1).granularity).toBe(3600);
});

describe('a granularity that is too fine', () => {
  test('is raised over 30 days [calls 109]', () => {
    expect(over(30 * day, 1)).toMatchObject({ granularity: 260, count: 9970 });
  });

  test('is raised only if necessary [calls 109]', () => {
    expect(over(10_000, 1)).toMatchObject({ granularity: 1, count: 10_000 });
    expect(over(10_001, 1)).toMatchObject({ granularity: 2, count: 5001 });
    expect(over(20_000, 2, newYear + 1)).toMatchObject({ granularity: 3, count: 6667 });
  });
});

test('the first bucket may start before the range, and the last one starts before its end', () => {
  const buckets = over(hour, 1800, newYear + 900);
  expect(bucketStarts(buckets)).toEqual([newYear, newYear + 1800, newYear + 3600]);
  expect(bucketStarts(over(hour, 1800))).toEqual([newYear, newYear + 1800]);
  expect(bucketStarts(over(0))).toEqual([]);
});

test('rounds times before 1970 down to their bucket', () => {
  expect(bucketStarts(over(10, 3600, -10))).toEqual([-3600]);
});

test('aligns buckets with clocks ahead of UTC or behind it', () => {
  const from = newYear + 600;
  const starts = (secondsAhead: number) => {
    const end = (from + 2 * day) * 1e6;
    return bucketStarts(timeBuckets(from * 1e6, end, day, () => secondsAhead)).map((start) => (start - newYear) / hour);
  };
  expect(starts(0)).toEqual([0, 24, 48]);
  expect(starts(5.5 * hour)).toEqual([-5.5, 18.5, 42.5]);
  expect(starts(-8 * hour)).toEqual([-16, 8, 32]);
});

test.each([
  [
    'Europe/Berlin',
    '2024-03-30',
    ['2024-03-30T00:00:00+01:00', '2024-03-31T00:00:00+01:00', '2024-04-01T00:00:00+02:00'],
  ],
  [
    'Europe/Berlin',
    '2024-10-26',
    ['2024-10-26T00:00:00+02:00', '2024-10-27T00:00:00+02:00', '2024-10-28T00:00:00+01:00'],
  ],
  // Clocks go forward at midnight: the day begins at 01:00.
  [
    'Africa/Cairo',
    '2024-04-25',
    ['2024-04-25T00:00:00+02:00', '2024-04-26T01:00:00+03:00', '2024-04-27T00:00:00+03:00'],
  ],
  // Clocks go back at 01:00: midnight comes twice.
  [
    'America/Havana',
    '2024-11-02',
    ['2024-11-02T00:00:00-04:00', '2024-11-03T00:00:00-04:00', '2024-11-04T00:00:00-05:00'],
  ],
  [
    'Asia/Kolkata',
    '2024-01-01',
    ['2024-01-01T00:00:00+05:30', '2024-01-02T00:00:00+05:30', '2024-01-03T00:00:00+05:30'],
  ],
  [
    'America/Los_Angeles',
    '2024-03-09',
    ['2024-03-09T00:00:00-08:00', '2024-03-10T00:00:00-08:00', '2024-03-11T00:00:00-07:00'],
  ],
])('days in %s from %s begin when they do there', (name, from, expected) => {
  const zone = zonedTime(name);
  const start = Date.parse(`${from}T12:00:00Z`) * 1000;
  const days = timeBuckets(start, start + 2 * day * 1e6, day, zone.offset);
  expect(bucketStarts(days).map(zone.write)).toEqual(expected);
  expect(days.count).toBe(3);
});

test('hours that clocks show twice are two buckets', () => {
  const zone = zonedTime('Europe/Berlin');
  const start = Date.parse('2024-10-27T00:30:00Z') * 1000;
  expect(bucketStarts(timeBuckets(start, start + 3 * hour * 1e6, hour, zone.offset)).map(zone.write)).toEqual([
    ...['2024-10-27T02:00:00+02:00', '2024-10-27T02:00:00+01:00', '2024-10-27T03:00:00+01:00'],
    '2024-10-27T04:00:00+01:00',
  ]);
});

test('a fraction of a second at the end adds a bucket', () => {
  const end = (newYear + 10) * 1e6 + 1;
  expect(timeBuckets(newYear * 1e6, end, 5)).toMatchObject({ runs: [{ first: newYear, count: 3 }], count: 3 });
});

test.each([0, -5])('rejects a granularity of %d', (granularity) => {
  expect(() => over(hour, granularity)).toThrow(/at least 1 second/);
});
