import { expect, test } from 'vitest';
import { mostOf, seededRandom } from '../testing/random.ts';
import { BestArm } from './best-arm.ts';

const plan = { arms: ['a', 'b', 'c'], alpha: 0.05, gain: 0.1 };
const [all, both] = [
  [0, 1, 2],
  [0, 1],
];

test('announces the arm with the highest mean, over versions with other shares', () => {
  const random = seededRandom(1);
  const best = new BestArm(plan);
  for (const [version, shares] of [
    [0.6, 0.2, 0.2],
    [0.2, 0.2, 0.6],
    [0.3, 0.4, 0.3],
  ].entries()) {
    addMany(best, random, shares, [0.5, 0.7, 0.4], [0, 0, 0], 2000, version);
  }
  const { verdict, arms } = best.look(all);
  expect(verdict).toEqual({ kind: 'winner', arm: 1 });
  expect(arms.reduce((sum, { counted }) => sum + counted, 0)).toBe(6000);
  expect(best.evidenceAgainst(all)[1]).toBe(1);
  expect(best.evidenceAgainst(all)[2]).toBeGreaterThan(20);
  expect(best.countOf(2)).toBe(2000);
  for (const [arm, mean] of [0.5, 0.7, 0.4].entries()) {
    expect(arms[arm]!.lower).toBeLessThan(mean);
    expect(arms[arm]!.upper).toBeGreaterThan(mean);
  }
});

test('is not misled by shares that change together with the mean of all arms', () => {
  const random = seededRandom(2);
  const best = new BestArm({ ...plan, arms: ['a', 'b'] });
  for (let version = 0; version < 40; version++) {
    const isHigh = version % 2 === 0;
    addMany(best, random, isHigh ? [0.9, 0.1] : [0.1, 0.9], isHigh ? [0.8, 0.8] : [0.3, 0.3], [0, 0], 500, version);
  }
  const { verdict, arms } = best.look(both);
  // The mean of all answers of the first arm is 0.75, and that of the second 0.35.
  for (const { lower, upper } of arms) {
    expect(lower).toBeLessThan(0.55);
    expect(upper).toBeGreaterThan(0.55);
  }
  expect(verdict).toEqual({ kind: 'open' });
});

test('warns instead of announcing a winner that owes it to missing feedback', () => {
  const random = seededRandom(3);
  const best = new BestArm({ ...plan, arms: ['a', 'b'] });
  for (let i = 0; i < 6000; i++) {
    const arm = random() < 0.5 ? 0 : 1;
    const isGood = random() < 0.5;
    best.add({ arm, version: 1, reward: arm === 0 && !isGood && random() < 0.5 ? null : isGood ? 1 : 0 });
  }
  const { verdict, arms } = best.look(both);
  expect(verdict).toMatchObject({ kind: 'depends-on-missing', arm: 0, rivals: [1] });
  if (verdict.kind !== 'depends-on-missing') throw new Error('expected a warning');
  expect(verdict.warning).toContain(`a has a mean of ${arms[0]!.mean!.toFixed(3)} and misses ${arms[0]!.missing} of`);
  expect(verdict.warning).toContain('b has a mean of');
  expect(arms[0]!.lowest).toBeLessThan(arms[0]!.mean!);
});

test('announces a winner that also wins if missing feedback counts against it', () => {
  const best = new BestArm({ ...plan, arms: ['a', 'b'] });
  addMany(best, seededRandom(4), [0.5, 0.5], [0.9, 0.4], [0.05, 0.05], 4000);
  expect(best.look(both).verdict).toEqual({ kind: 'winner', arm: 0 });
});

test('rarely announces a winner among equal arms', () => {
  const random = seededRandom(5);
  const runs = 300;
  let found = 0;
  for (let run = 0; run < runs; run++) {
    const best = new BestArm(plan);
    addMany(best, random, [0.5, 0.3, 0.2], [0.5, 0.5, 0.5], [0, 0.3, 0.6], 1500);
    if (best.look(all).verdict.kind !== 'open') found++;
  }
  expect(found).toBeLessThan(mostOf(runs));
});

test('shows arms without outcomes', () => {
  const { verdict, arms } = new BestArm(plan).look(all);
  expect(verdict).toEqual({ kind: 'open' });
  const nothing = { mean: null, lower: null, upper: null, lowest: null, highest: null };
  expect(arms[0]).toEqual({ counted: 0, missing: 0, ...nothing });
});

test('compares only the arms that are not out', () => {
  const best = new BestArm(plan);
  addMany(best, seededRandom(6), [0.4, 0.3, 0.3], [0.6, 0.4, 0.9], [0, 0, 0], 3000);
  expect(best.look(both).verdict).toEqual({ kind: 'winner', arm: 0 });
  expect(best.evidenceAgainst(both)[0]).toBe(1);
  expect(best.look([0]).verdict).toEqual({ kind: 'open' });
});

function addMany(
  best: BestArm,
  random: () => number,
  shares: readonly number[],
  means: readonly number[],
  missing: readonly number[],
  count: number,
  version = 1,
): void {
  for (let i = 0; i < count; i++) {
    const place = random();
    const arm = place < shares[0]! ? 0 : place < shares[0]! + shares[1]! ? 1 : 2;
    const reward = random() < means[arm]! ? 1 : 0;
    best.add({ arm, version, reward: random() < missing[arm]! ? null : reward });
  }
}
