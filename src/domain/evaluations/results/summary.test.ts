import { describe, expect, test } from 'vitest';
import type { MissingScore } from '../missing-score.ts';
import { estimateMean, estimateRate } from './estimate.ts';
import { summarize } from './summary.ts';
import { groupByRow, type Trial } from './trial.ts';

let calls = 0;
const trial = (
  evaluationId: string,
  rowDigest: string,
  scores: Record<string, unknown>,
  missing: MissingScore = 'fails',
): Trial => ({
  ...{ callId: `c${calls}`, evaluationId, rowDigest, startedAt: calls++, missing, scores, values: new Map() },
});
const summaryOf = (trials: Trial[], ids = ['a', 'b']) => summarize(groupByRow(trials, ids), ids);

test('walks objects, and gives each leaf statistics of its first type', async () => {
  const scores = { acc: { ok: true, n: 2, note: 'x', list: [1], nothing: null }, plain: 1 };
  const [stats] = await summaryOf([trial('a', 'x', scores), trial('a', 'y', { acc: { ok: false, n: 4 } })]);
  expect(stats!.trialCount).toBe(2);
  expect(stats!.scorers).toMatchObject([
    {
      scorerKey: 'acc',
      path: 'ok',
      valueType: 'binary',
      trialCount: 2,
      passRate: 0.5,
      passSignalCoverage: 1,
      numericCount: 0,
    },
    { scorerKey: 'acc', path: 'n', valueType: 'continuous', numericCount: 2, numericMean: 3, passRate: null },
    { scorerKey: 'acc', path: 'note', valueType: 'text', trialCount: 1, numericMean: null, estimate: null },
    { scorerKey: 'plain', path: null, valueType: 'continuous', trialCount: 1, numericMean: 1 },
  ]);
});

test('a mean of independent rows has the ordinary standard error and Student’s interval', () => {
  // R: x <- c(1, 2, 3, 4, 10); t.test(x)
  const estimate = estimateMean([[1], [2], [3], [4], [10]])!;
  expect(estimate).toMatchObject({ count: 5, mean: 4 });
  expect(estimate.standardError).toBeCloseTo(1.581139, 6);
  expect(estimate.interval95![0]).toBeCloseTo(-0.389945, 5);
  expect(estimate.interval95![1]).toBeCloseTo(8.389945, 5);
});

test('trials of one row that agree count for no more than the row', () => {
  const once = estimateMean([[1], [0], [1], [1]])!;
  const thrice = estimateMean([
    [1, 1, 1],
    [0, 0, 0],
    [1, 1, 1],
    [1, 1, 1],
  ])!;
  expect(thrice.count).toBe(12);
  expect(thrice.standardError).toBeCloseTo(once.standardError!, 12);
});

test('a single row leaves the uncertainty open', () => {
  expect(estimateMean([[1, 2, 3]])).toEqual({ count: 3, mean: 2, standardError: null, interval95: null });
  expect(estimateMean([[], []])).toBeNull();
});

test('the interval of a rate stays within 0 and 1 and is not empty for a perfect one', () => {
  const perfect = estimateRate(Array.from({ length: 10 }, () => [1]))!;
  expect(perfect.standardError).toBe(0);
  expect(perfect.interval95![0]).toBeCloseTo(0.7225, 3); // Wilson for 10 of 10
  expect(perfect.interval95![1]).toBe(1);
  const half = estimateRate([[1], [0], [1], [0]])!;
  expect(half.interval95![0]).toBeGreaterThan(0);
  expect(half.interval95![1]).toBeLessThan(1);
});

test('evaluations are compared with the first one asked for, row by row', async () => {
  const trials = [
    trial('a', 'x', { s: 0.1 }),
    trial('a', 'y', { s: 0.5 }),
    trial('a', 'only in a', { s: 99 }),
    trial('b', 'x', { s: 0.3 }),
    trial('b', 'x', { s: 0.5 }),
    trial('b', 'y', { s: 0.6 }),
  ];
  const [a, b] = (await summaryOf(trials)).toSorted((left, right) => (left.evaluationId < right.evaluationId ? -1 : 1));
  expect(a!.scorers[0]!.difference).toBeNull();
  const { difference } = b!.scorers[0]!;
  expect(difference).toMatchObject({ baselineId: 'a', count: 2 });
  expect(difference!.mean).toBeCloseTo((0.3 + 0.1) / 2, 12);
  expect(difference!.standardError).toBeCloseTo(0.1, 12);
});

test('the quantile of many rows goes on from that of few', () => {
  const reachOf = (rows: number) => {
    const { mean, interval95, standardError } = estimateMean(Array.from({ length: rows }, (_, i) => [i % 2]))!;
    return (interval95![1] - mean) / standardError!;
  };
  expect(reachOf(501)).toBeCloseTo(1.96472, 4); // Student's with 500 degrees of freedom
  expect(reachOf(500)).toBeGreaterThan(reachOf(501));
  expect(reachOf(500) - reachOf(501)).toBeLessThan(1e-4);
});

describe('a trial without a score', () => {
  const scores = { right: true, judge: { passed: true, score: 0.5 } };
  const statsOf = async (missing: MissingScore, ...lacking: Record<string, unknown>[]) => {
    const trials = [trial('a', 'x', scores, missing), ...lacking.map((each, i) => trial('a', `y${i}`, each, missing))];
    const [stats] = await summaryOf(trials);
    return stats!.scorers.map(({ failedCount, passRate, numericMean, estimate }) => [
      ...[failedCount, passRate, numericMean, estimate!.count, estimate!.mean],
    ]);
  };

  test('that failed did not pass: it is in the denominator of rates and their intervals, but not of means', async () => {
    // `auto_summarize` of the Python SDK: an empty object is no score, null is one that says nothing.
    expect(await statsOf('fails', {}, { right: {}, judge: {} }, { right: null, judge: null }, {})).toEqual([
      [3, 0.25, null, 4, 0.25],
      [3, 0.25, null, 4, 0.25],
      [3, null, 0.5, 1, 0.5],
    ]);
  });

  test('counts as 0 in rates and means of the JavaScript SDK, also if it is null or has other members', async () => {
    expect(await statsOf('zero', {}, { right: null, judge: { score: 0.5 } }, {})).toEqual([
      [3, 0.25, null, 4, 0.25],
      [3, 0.25, null, 4, 0.25],
      [2, null, 0.25, 4, 0.25],
    ]);
  });

  test('does not count if it has not ended, or none was given', async () => {
    expect(await statsOf('ignored', {}, { right: {} })).toEqual([
      [0, 1, null, 1, 1],
      [0, 1, null, 1, 1],
      [0, null, 0.5, 1, 0.5],
    ]);
  });

  test('that failed is compared with the same row of the baseline', async () => {
    const trials = [
      ...['x', 'y', 'z'].map((row) => trial('a', row, { right: true, score: 1 })),
      ...[trial('b', 'x', { right: true, score: 1 }), trial('b', 'y', {}), trial('b', 'z', {})],
    ];
    const b = (await summaryOf(trials)).find(({ evaluationId }) => evaluationId === 'b')!;
    expect(b.scorers[0]!.difference).toMatchObject({ count: 3, mean: -2 / 3 });
    expect(b.scorers[1]!.difference).toMatchObject({ count: 1, mean: 0 });
  });
});
