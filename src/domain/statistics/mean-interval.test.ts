import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MeanInterval } from './mean-interval.ts';
import { MeanTest } from './mean-test.ts';
import { drawPair, mostOf, seededRandom } from './testing/random.ts';

/** Written by scripts/reference/statistics.py, from confseq. */
const reference: { name: string; values: number[]; bounds: { looks: number; lower: number; upper: number }[] }[] =
  JSON.parse(readFileSync(new URL('../../../testing/statistics/betting.json', import.meta.url), 'utf8')).filter(
    (each: object) => 'bounds' in each,
  );
const plan = { low: -1, high: 1, gap: 0.2, level: 0.05, exactAt: [], population: null };

test.each(reference)('has the bounds that follow from the wealth of confseq for $name', ({ values, bounds }) => {
  const interval = new MeanInterval(plan);
  for (const [i, value] of values.entries()) {
    interval.add(value);
    const expected = bounds.find(({ looks }) => looks === i + 1);
    if (!expected) continue;
    expect(interval.bounds.lower).toBeCloseTo(expected.lower, 9);
    expect(interval.bounds.upper).toBeCloseTo(expected.upper, 9);
  }
});

test('is above 0 from the very look at which a test of 0 shows a gain', () => {
  const random = seededRandom(1);
  for (let run = 0; run < 10; run++) {
    const interval = new MeanInterval({ ...plan, exactAt: [0] });
    const tested = new MeanTest({ low: -1, high: 1, side: 'above', nullMean: 0, gap: 0.2, population: null });
    for (let i = 0; i < 150; i++) {
      const value = drawPair(random, 0.4, 0.2);
      interval.add(value);
      tested.add(value);
      expect(interval.bounds.lower >= 0).toBe(tested.peak >= Math.log(20));
    }
  }
});

test('rarely excludes the mean at any look, and never widens', () => {
  const random = seededRandom(2);
  const runs = 150;
  let missedBelow = 0;
  let missedAbove = 0;
  for (let run = 0; run < runs; run++) {
    const interval = new MeanInterval(plan);
    let before = interval.bounds;
    for (let i = 0; i < 100; i++) {
      interval.add(drawPair(random, 0.35, 0.25));
      expect(interval.bounds.lower).toBeGreaterThanOrEqual(before.lower);
      expect(interval.bounds.upper).toBeLessThanOrEqual(before.upper);
      before = interval.bounds;
    }
    if (before.lower >= 0.1) missedBelow++;
    if (before.upper <= 0.1) missedAbove++;
  }
  expect(Math.max(missedBelow, missedAbove)).toBeLessThan(mostOf(runs));
});
