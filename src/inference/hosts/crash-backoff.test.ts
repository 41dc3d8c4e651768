import { expect, test } from 'vitest';
import { CrashBackoff } from './crash-backoff.ts';

function backoffAt() {
  let time = 0;
  const backoff = new CrashBackoff(() => time);
  const pass = (ms: number) => {
    time += ms;
  };
  return { backoff, pass };
}

test('a model may start at once after its first crash', () => {
  const { backoff } = backoffAt();
  backoff.count('a');
  expect(backoff.waitMs('a')).toBe(0);
});

test('the wait doubles with each crash up to a minute, for that model only', () => {
  const { backoff, pass } = backoffAt();
  const waits = Array.from({ length: 10 }, () => {
    backoff.count('a');
    const wait = backoff.waitMs('a');
    pass(wait);
    expect(backoff.waitMs('a')).toBe(0);
    return wait / 1_000;
  });
  expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  expect(backoff.waitMs('b')).toBe(0);
});

test('forgets crashes after the model ran well for long', () => {
  const { backoff, pass } = backoffAt();
  for (let i = 0; i < 10; i++) backoff.count('a');
  pass(60_000 + 60_001);
  backoff.count('a');
  expect(backoff.waitMs('a')).toBe(0);
});
