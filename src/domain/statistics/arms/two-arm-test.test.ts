import { expect, test } from 'vitest';
import { mostOf, seededRandom } from '../testing/random.ts';
import { TwoArmTest } from './two-arm-test.ts';

const shown = Math.log(20);

test('bets on nothing before a block is full, and on nothing in blocks of one arm', () => {
  const tested = new TwoArmTest(0.1);
  for (let i = 0; i < 99; i++) tested.add(i % 2 === 0, 0);
  expect(tested.logWealth).toBe(0);
  for (let i = 0; i < 300; i++) tested.add(false, 1, 1);
  expect(tested.logWealth).toBe(0);
});

test('compares answers of a version with each other only, also while the last ones of the version before come', () => {
  const random = seededRandom(4);
  const [mixed, first, second] = [new TwoArmTest(0.1), new TwoArmTest(0.1), new TwoArmTest(0.1)];
  // The first version has only bad answers, nearly all of one arm; the second has only good ones, nearly all of the other arm.
  for (let i = 0; i < 5000; i++) {
    const version = random() < 0.5 ? 1 : 2;
    const isCandidate = random() < (version === 1 ? 0.9 : 0.1);
    mixed.add(isCandidate, version - 1, version);
    if (version === 1) first.add(isCandidate, 0);
    else second.add(isCandidate, 1);
  }
  expect(mixed.peak).toBeLessThan(shown);
  expect(Math.max(first.peak, second.peak)).toBeLessThan(shown);
  const before = mixed.logWealth;
  mixed.add(true, 0, 3);
  for (let i = 0; i < 200; i++) mixed.add(i % 2 === 0, i % 2, 1);
  expect(mixed.logWealth).toBe(before); // two versions later
});

test('has the same mean wealth of 1 over all orders of equal rewards', () => {
  // One candidate in a block of 100: each of its places is as likely, and the rewards stay where they are.
  const random = seededRandom(1);
  const rewards = Array.from({ length: 100 }, () => random());
  let wealth = 0;
  for (let place = 0; place < 100; place++) {
    const tested = new TwoArmTest(0.1);
    for (const [i, reward] of rewards.entries()) tested.add(i === place, reward);
    wealth += Math.exp(tested.logWealth) / 100;
  }
  // Bets learn from the incumbent's rewards, before each reward, so that the mean is exact.
  expect(wealth).toBeCloseTo(1, 12);
});

test('rarely shows harm of equal arms, also while the means of both change', () => {
  const random = seededRandom(2);
  const runs = 400;
  const means = [() => 0.5, () => 0.02, () => 0.98, (i: number) => 0.5 + 0.45 * Math.sin(i / 60)];
  for (const mean of means) {
    let found = 0;
    for (let run = 0; run < runs; run++) {
      const tested = new TwoArmTest(0.1);
      for (let i = 0; i < 1500; i++) tested.add(random() < 0.2, random() < mean(i) ? 1 : 0);
      if (tested.peak >= shown) found++;
    }
    expect(found).toBeLessThan(mostOf(runs));
  }
});

test('shows harm at shares from 1 % to 90 %, and never that of a better arm', () => {
  const random = seededRandom(3);
  for (const share of [0.01, 0.1, 0.5, 0.9]) {
    const worse = new TwoArmTest(0.1);
    const better = new TwoArmTest(0.1);
    for (let i = 0; i < 100_000; i++) {
      const isCandidate = random() < share;
      worse.add(isCandidate, random() < (isCandidate ? 0.4 : 0.5) ? 1 : 0);
      better.add(isCandidate, random() < (isCandidate ? 0.6 : 0.5) ? 1 : 0);
    }
    expect(worse.logWealth).toBeGreaterThan(shown);
    expect(better.logWealth).toBeLessThan(0);
  }
});

test('stays finite after the worst rewards for it', () => {
  const tested = new TwoArmTest(1);
  for (let i = 0; i < 10_000; i++) tested.add(i % 10 === 0, i % 10 === 0 ? 1 : 0);
  expect(Number.isFinite(tested.logWealth)).toBe(true);
});
