import { expect, test } from 'vitest';
import { SampleRatioTest } from './sample-ratio.ts';
import { mostOf, seededRandom } from './testing/random.ts';

test('rarely finds a mismatch where there is none, and finds one of five points', () => {
  const random = seededRandom(1);
  expect(mismatches(random, 0.5, 2000)).toBeLessThan(mostOf(300));
  expect(mismatches(random, 0.45, 4000)).toBeGreaterThan(270);
});

test('is the Bayes factor of the Dirichlet prior, whatever the order', () => {
  const tested = new SampleRatioTest([0.5, 0.5], 2); // a uniform prior: C(4, 1) heads have the probability 1/5
  for (const arm of [0, 1, 1, 1]) tested.add(arm);
  expect(Math.exp(tested.logWealth)).toBeCloseTo(1 / 5 / 4 / 0.5 ** 4, 12);
});

/** Of 300 runs, with looks after every arrival. */
function mismatches(random: () => number, share: number, arrivals: number): number {
  let found = 0;
  for (let run = 0; run < 300; run++) {
    const tested = new SampleRatioTest([0.5, 0.5], 100);
    for (let i = 0; i < arrivals && tested.peak < Math.log(20); i++) tested.add(random() < share ? 0 : 1);
    if (tested.peak >= Math.log(20)) found++;
  }
  return found;
}
