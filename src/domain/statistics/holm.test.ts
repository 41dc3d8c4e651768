import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { holm } from './holm.ts';

/** Written by scripts/reference/statistics.py, from statsmodels. */
const reference: { pValues: number[]; rejected: boolean[] }[] = JSON.parse(
  readFileSync(new URL('../../../testing/statistics/estimates.json', import.meta.url), 'utf8'),
).holm;

test.each(reference)('rejects what statsmodels rejects: %j', ({ pValues, rejected }) => {
  expect(
    holm(
      pValues.map((p) => -Math.log(p)),
      0.05,
    ),
  ).toEqual(rejected);
});

test('rejects nothing of nothing', () => {
  expect(holm([], 0.05)).toEqual([]);
});
