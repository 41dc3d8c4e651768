import { expect, test } from 'vitest';
import { zonedTime } from './zoned-time.ts';

const newYear = 1_704_067_200;

test.each([
  ['UTC', '2024-01-01T00:00:00+00:00'],
  ['Etc/UTC', '2024-01-01T00:00:00+00:00'],
  ['Europe/London', '2024-01-01T00:00:00+00:00'],
  ['Asia/Kolkata', '2024-01-01T05:30:00+05:30'],
  ['America/New_York', '2023-12-31T19:00:00-05:00'],
])('writes the new year in %s', (zone, expected) => {
  expect(zonedTime(zone).write(newYear)).toBe(expected);
});

test('follows the changes of a zone', () => {
  const inBerlin = zonedTime('Europe/Berlin').write;
  expect(inBerlin(1_711_846_799)).toBe('2024-03-31T01:59:59+01:00');
  expect(inBerlin(1_711_846_800)).toBe('2024-03-31T03:00:00+02:00');
});

test('tells how far clocks are ahead', () => {
  expect(zonedTime('UTC').offset(newYear)).toBe(0);
  expect(zonedTime('Asia/Kolkata').offset(newYear)).toBe(19_800);
  expect(zonedTime('America/New_York').offset(newYear)).toBe(-18_000);
});

test('writes offsets with seconds, as zones had before there were railways', () => {
  expect(zonedTime('Europe/Brussels').write(-2_840_140_800)).toBe('1880-01-01T00:17:30+00:17:30');
});

test('refuses a zone that there is not', () => {
  expect(() => zonedTime('Mars/Olympus')).toThrow(RangeError);
});
