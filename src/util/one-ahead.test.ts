import { expect, test } from 'vitest';
import { oneAhead } from './one-ahead.ts';

function counted(until: number) {
  const state = { made: 0, isClosed: false };
  async function* numbers() {
    try {
      while (state.made < until) yield ++state.made;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, numbers: numbers() };
}

test('gives every value in order', async () => {
  expect(await Array.fromAsync(oneAhead(counted(5).numbers))).toEqual([1, 2, 3, 4, 5]);
  expect(await Array.fromAsync(oneAhead(counted(0).numbers))).toEqual([]);
});

test('asks for one value ahead, and for no more', async () => {
  const { state, numbers } = counted(5);
  for await (const number of oneAhead(numbers)) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.made).toBe(Math.min(number + 1, 5));
  }
});

test('closes its source when nobody wants more', async () => {
  const { state, numbers } = counted(5);
  for await (const number of oneAhead(numbers)) if (number === 2) break;
  expect(state).toEqual({ made: 3, isClosed: true });
});

test('an error comes where its value would have come', async () => {
  async function* failing() {
    yield 1;
    throw new Error('no more');
  }
  const seen: number[] = [];
  const read = async () => {
    for await (const number of oneAhead(failing())) seen.push(number);
  };
  await expect(read()).rejects.toThrow('no more');
  expect(seen).toEqual([1]);
});
