import { expect, test } from 'vitest';
import { withinTime } from './within-time.ts';

test('what is in time is answered, with its own errors', () => {
  expect(withinTime(1000, () => 5)).toBe(5);
  const fail = () => {
    throw new TypeError('mine');
  };
  expect(() => withinTime(1000, fail)).toThrow(TypeError);
});

test('an expression that would take for ever is stopped', () => {
  expect(() => withinTime(20, () => /^(a+)+$/.test(`${'a'.repeat(50)}!`))).toThrow(/timed out/);
  expect(withinTime(1000, () => 'still works')).toBe('still works');
});
