import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MeanTest, type MeanTestPlan } from './mean-test.ts';
import { drawPair, mostOf, seededRandom } from './testing/random.ts';

/** Written by scripts/reference/statistics.py, from confseq. */
const reference: Reference[] = JSON.parse(
  readFileSync(new URL('../../../testing/statistics/betting.json', import.meta.url), 'utf8'),
);
const plan: MeanTestPlan = { low: -1, high: 1, side: 'above', nullMean: 0, gap: 0.1, population: null };

test.each(reference.filter((each) => 'logWealth' in each))(
  'has the wealth of confseq for $name $side $nullMean of $population',
  ({ name, logWealth, nullMean, gap, side, population }) => {
    const { values } = reference.find((each) => 'values' in each && each.name === name)! as { values: number[] };
    const tested = new MeanTest({ low: -1, high: 1, nullMean, gap, side, population });
    const found = values.map((value) => {
      tested.add(value);
      return tested.logWealth;
    });
    for (const [i, expected] of logWealth.entries()) expect(found[10 * i + 9]).toBeCloseTo(expected, 9);
  },
);

test('rarely shows what is not so, in looks after every value', () => {
  const random = seededRandom(1);
  const runs = 1500;
  for (const { wins, losses, nullMean } of [
    { wins: 0.25, losses: 0.25, nullMean: 0 },
    { wins: 0.02, losses: 0.02, nullMean: 0 },
    { wins: 0.1, losses: 0.2, nullMean: -0.1 },
  ]) {
    const shown = count(runs, () => isShown({ ...plan, nullMean }, () => drawPair(random, wins, losses), 400));
    expect(shown).toBeLessThan(mostOf(runs));
  }
});

test('rarely shows what is not so of a finite population, to its last value', () => {
  const random = seededRandom(2);
  const runs = 1500;
  const population = Array.from({ length: 200 }, (_, i) => (i < 60 ? 1 : i < 120 ? -1 : 0));
  const shown = count(runs, () => {
    const order = shuffled(population, random);
    return isShown({ ...plan, population: 200 }, (i) => order[i]!, 200);
  });
  expect(shown).toBeLessThan(mostOf(runs));
});

test('needs fewer values if it knows the population, and is certain of a mean once all of it was seen', () => {
  const random = seededRandom(3);
  const population = Array.from({ length: 300 }, (_, i) => (i < 90 ? 1 : i < 150 ? -1 : 0));
  const needed = { sample: 0, population: 0 };
  for (let run = 0; run < 50; run++) {
    const order = shuffled(population, random);
    needed.sample += valuesUntilShown(plan, order);
    needed.population += valuesUntilShown({ ...plan, population: 300 }, order);
  }
  expect(needed.population).toBeLessThan(needed.sample);

  const slight = Array.from({ length: 100 }, (_, i) => (i < 50 ? 1 : i < 99 ? -1 : 0));
  const tested = new MeanTest({ ...plan, population: 100 });
  for (const value of slight) tested.add(value);
  expect(tested.logWealth).toBe(Number.POSITIVE_INFINITY);
});

test('tests the other side with the values turned around', () => {
  const random = seededRandom(4);
  const above = new MeanTest({ ...plan, nullMean: -0.05 });
  const below = new MeanTest({ ...plan, side: 'below', nullMean: 0.05 });
  for (let i = 0; i < 100; i++) {
    const value = drawPair(random, 0.3, 0.2);
    above.add(value);
    below.add(-value);
  }
  expect(below.logWealth).toBeCloseTo(above.logWealth, 12);
});

test('stays finite after values that are as bad as possible, and recovers', () => {
  const tested = new MeanTest({ ...plan, gap: 1 });
  for (let i = 0; i < 100_000; i++) tested.add(-1);
  expect(tested.logWealth).toBeGreaterThan(-1e6);
  const before = tested.logWealth;
  tested.add(1);
  expect(tested.logWealth).toBeGreaterThan(before);
  expect(tested.peak).toBe(0);
});

type Reference =
  | { name: string; values: number[] }
  | {
      name: string;
      nullMean: number;
      gap: number;
      side: 'above' | 'below';
      population: number | null;
      logWealth: number[];
    };

function isShown(of: MeanTestPlan, next: (i: number) => number, most: number): boolean {
  const tested = new MeanTest(of);
  for (let i = 0; i < most && tested.peak < Math.log(20); i++) tested.add(next(i));
  return tested.peak >= Math.log(20);
}

function valuesUntilShown(of: MeanTestPlan, values: readonly number[]): number {
  const tested = new MeanTest(of);
  const found = values.findIndex((value) => {
    tested.add(value);
    return tested.peak >= Math.log(20);
  });
  return found === -1 ? values.length : found + 1;
}

function count(runs: number, run: () => boolean): number {
  return Array.from({ length: runs }, run).filter(Boolean).length;
}

function shuffled(values: readonly number[], random: () => number): number[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}
