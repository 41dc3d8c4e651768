import { expect, test } from 'vitest';
import { forEachAtOnce } from './for-each-at-once.ts';

async function* numbers(count: number) {
  for (let i = 0; i < count; i++) yield i;
}

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('works on every item once, on no more at a time than allowed', async () => {
  const seen: number[] = [];
  let running = 0;
  let runningMost = 0;
  await forEachAtOnce(numbers(20), 3, never, async (number) => {
    runningMost = Math.max(runningMost, ++running);
    await turn();
    seen.push(number);
    running--;
  });
  expect(seen.toSorted((a, b) => a - b)).toEqual([...Array(20).keys()]);
  expect(runningMost).toBe(3);
});

test('the first error stops the others and is thrown', async () => {
  const started: number[] = [];
  const stopped: number[] = [];
  const work = async (number: number, signal: AbortSignal) => {
    started.push(number);
    if (number === 1) {
      await turn();
      throw new Error('one');
    }
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped.push(number);
  };
  await expect(forEachAtOnce(numbers(20), 3, never, work)).rejects.toThrow('one');
  expect([started, stopped]).toEqual([
    [0, 1, 2],
    [0, 2],
  ]);
});

test('begins nothing after it is canceled', async () => {
  const canceling = new AbortController();
  const started: number[] = [];
  const all = forEachAtOnce(numbers(20), 1, canceling.signal, async (number) => {
    started.push(number);
    canceling.abort(new Error('canceled'));
  });
  await expect(all).rejects.toThrow('canceled');
  expect(started).toEqual([0]);
});
