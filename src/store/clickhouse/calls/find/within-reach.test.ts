import { expect, test } from 'vitest';
import type { CallKey } from './fetch-calls.ts';
import { readWithinReach } from './within-reach.ts';

const keyAt = (startedAt: number): CallKey => ({ startedAt, id: String(startedAt), bytes: 0 });

/** Reads the newest of these times like a statement of the store, and returns the reaches it was given. */
async function readNewest(statement: string, times: number[], count: number) {
  const reaches: (number | null)[] = [];
  const keys = await readWithinReach({ statement, count }, async (reach) => {
    reaches.push(reach);
    return times
      .filter((time) => reach === null || time >= reach)
      .toSorted((a, b) => b - a)
      .slice(0, count)
      .map(keyAt);
  });
  return { found: keys.map(({ startedAt }) => startedAt), reaches };
}

test('reads a statement again only up to the last key that it found', async () => {
  expect(await readNewest('again', [1, 2, 3], 2)).toEqual({ found: [3, 2], reaches: [null] });
  expect(await readNewest('again', [1, 2, 3, 4], 2)).toEqual({ found: [4, 3], reaches: [2] });
  expect(await readNewest('again', [1, 2, 3, 4], 2)).toEqual({ found: [4, 3], reaches: [3] });
});

test('reads further once fewer keys are within reach, and does not try the same reach twice', async () => {
  await readNewest('fewer', [1, 2, 3], 2);
  expect(await readNewest('fewer', [1, 3], 2)).toEqual({ found: [3, 1], reaches: [2, null] });
  expect(await readNewest('fewer', [3], 2)).toEqual({ found: [3], reaches: [1, null] });
  expect(await readNewest('fewer', [3], 2)).toEqual({ found: [3], reaches: [null] });
});

test('remembers no time that a number does not represent exactly', async () => {
  await readNewest('inexact', [2 ** 53], 1);
  expect(await readNewest('inexact', [2 ** 53], 1)).toEqual({ found: [2 ** 53], reaches: [null] });
});
