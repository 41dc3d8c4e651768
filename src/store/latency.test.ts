import { expect, test } from 'vitest';
import { openLatency } from './latency.ts';

function openTimed() {
  let ms = 0;
  const latency = openLatency(() => ms);
  return {
    latency,
    pass(more: number) {
      ms += more;
    },
    take: (taken: number) =>
      latency.measure(async () => {
        ms += taken;
      }),
  };
}

test('is unknown until something was measured', () => {
  expect(openLatency().seconds()).toBeNull();
});

test('is the median of the last minute, then unknown again', async () => {
  const { latency, pass, take } = openTimed();
  await take(5_000);
  pass(61_000);
  for (const taken of [10, 900, 20]) await take(taken);
  expect(latency.seconds()).toBe(0.02);
  pass(61_000);
  expect(latency.seconds()).toBeNull();
});

test('a failure is passed on and not measured', async () => {
  const { latency } = openTimed();
  await expect(latency.measure(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(latency.seconds()).toBeNull();
});
