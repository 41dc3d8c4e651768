import { expect, test } from 'vitest';
import { readBounded } from './bounded-read.ts';
import type { CallKey } from './fetch-calls.ts';

const keyAt = (startedAt: number): CallKey => ({ startedAt, id: String(startedAt), bytes: 0 });

/** Reads the newest of these times like a statement of the store, and returns the bounds it was given. */
async function readNewest(statement: string, times: number[], count: number) {
  const bounds: (number | null)[] = [];
  const keys = await readBounded({ statement, count }, async (bound) => {
    bounds.push(bound);
    return times
      .filter((time) => bound === null || time >= bound)
      .toSorted((a, b) => b - a)
      .slice(0, count)
      .map(keyAt);
  });
  return { found: keys.map(({ startedAt }) => startedAt), bounds };
}

test('reads a statement again only up to the last key that it found', async () => {
  expect(await readNewest('again', [1, 2, 3], 2)).toEqual({ found: [3, 2], bounds: [null] });
  expect(await readNewest('again', [1, 2, 3, 4], 2)).toEqual({ found: [4, 3], bounds: [2] });
  expect(await readNewest('again', [1, 2, 3, 4], 2)).toEqual({ found: [4, 3], bounds: [3] });
});

test('reads without the bound once too few keys lie within it, and does not try the same bound twice', async () => {
  await readNewest('fewer', [1, 2, 3], 2);
  expect(await readNewest('fewer', [1, 3], 2)).toEqual({ found: [3, 1], bounds: [2, null] });
  expect(await readNewest('fewer', [3], 2)).toEqual({ found: [3], bounds: [1, null] });
  expect(await readNewest('fewer', [3], 2)).toEqual({ found: [3], bounds: [null] });
});

test('remembers no time that a number does not represent exactly', async () => {
  await readNewest('inexact', [2 ** 53], 1);
  expect(await readNewest('inexact', [2 ** 53], 1)).toEqual({ found: [2 ** 53], bounds: [null] });
});
