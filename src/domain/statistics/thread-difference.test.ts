import { expect, test } from 'vitest';
import { differenceBounds, type Measure, type Metric } from './plan.ts';
import { threadDifference } from './thread-difference.ts';

const score = metric({ kind: 'score', low: 0, high: 1 }, 'higher');

test('averages repeats to rows, and rows to the thread', () => {
  const rows = [
    { incumbent: [0], candidate: [1, 1, 0, 0] }, // four repeats of a row count as one row
    { incumbent: [1], candidate: [1] },
  ];
  expect(threadDifference(score, rows)).toBe(0.25);
});

test('counts failed answers as 0, as the worst score if less is better, and as above limits and caps', () => {
  const failed = [{ incumbent: [0.5], candidate: [null] }];
  expect(threadDifference(score, failed)).toBe(-0.5);
  expect(threadDifference(metric({ kind: 'score', low: 0, high: 1 }, 'lower'), failed)).toBe(-0.5);
  expect(threadDifference(metric({ kind: 'share-above', limit: 10 }, 'lower'), failed)).toBe(-1);
  expect(threadDifference(metric({ kind: 'capped', cap: 2 }, 'lower'), failed)).toBe(-1.5);
});

test('compares costs by their share above a limit, and with a cap', () => {
  const rows = [{ incumbent: [3], candidate: [500] }];
  expect(threadDifference(metric({ kind: 'share-above', limit: 10 }, 'lower'), rows)).toBe(-1);
  expect(threadDifference(metric({ kind: 'capped', cap: 8 }, 'lower'), rows)).toBe(-5);
});

test('is positive if fewer rows than the quantile allows are above its limit', () => {
  const latency = metric({ kind: 'quantile', quantile: 0.75, limit: 10 }, 'lower');
  const rows = [1, 2, 3, 40, 5].map((candidate) => ({ incumbent: [0], candidate: [candidate] }));
  expect(threadDifference(latency, rows)).toBeCloseTo(0.05, 12);
});

test('has no difference without rows, and refuses scores outside the bounds and rows without answers', () => {
  expect(threadDifference(score, [])).toBeNull();
  expect(() => threadDifference(score, [{ incumbent: [0], candidate: [1.5] }])).toThrow('outside');
  expect(() => threadDifference(score, [{ incumbent: [0], candidate: [] }])).toThrow('at least one repeat');
});

test.each([
  { kind: 'score', low: -2, high: 3 },
  { kind: 'share-above', limit: 5 },
  { kind: 'capped', cap: 4 },
  { kind: 'quantile', quantile: 0.9, limit: 5 },
] as Measure[])('stays within its bounds, and reaches them: $kind', (measure) => {
  for (const better of ['higher', 'lower'] as const) {
    const { low, high } = differenceBounds({ name: 'any', measure, better });
    const ends = measure.kind === 'score' ? [measure.low, measure.high] : [0, 1000];
    const found = ends.flatMap((incumbent) =>
      ends.map((candidate) =>
        threadDifference({ name: 'any', measure, better }, [{ incumbent: [incumbent], candidate: [candidate] }]),
      ),
    );
    expect(Math.min(...found.map(Number))).toBeCloseTo(low, 12);
    expect(Math.max(...found.map(Number))).toBeCloseTo(high, 12);
  }
});

function metric(measure: Measure, better: 'higher' | 'lower'): Metric {
  return { name: 'any', measure, better };
}
