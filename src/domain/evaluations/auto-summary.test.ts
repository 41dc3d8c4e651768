import { expect, test } from 'vitest';
import { AutoSummary } from './auto-summary.ts';

const summarize = (values: unknown[], unscored = 0) => {
  const summary = new AutoSummary();
  for (const value of values) summary.add(value);
  return summary.result(unscored);
};

// Expected values are those of `auto_summarize` of the Python SDK.
test.each([
  [[], 0, null],
  [[null, null], 0, null],
  [[1, 2, null, 4.5], 0, { mean: 2.5 }],
  [[true, false, true], 0, { true_count: 2, true_fraction: 2 / 3 }],
  [[true, true], 2, { true_count: 2, true_fraction: 0.5 }],
  [['a', 'b'], 0, null],
  [[[1], [2]], 0, null],
  [
    [
      { ok: true, n: 1, text: 'a' },
      { ok: false, n: 3 },
    ],
    0,
    { ok: { true_count: 1, true_fraction: 0.5 }, n: { mean: 2 } },
  ],
  [[{ mean: 1 }, { mean: 3 }], 0, { mean: 2 }],
  [[{ a: { b: 1 } }, { a: { b: 2 } }], 0, { a: { b: { mean: 1.5 } } }],
])('%j without %d unscored becomes %j', (values, unscored, result) => {
  expect(summarize(values, unscored)).toEqual(result);
});
