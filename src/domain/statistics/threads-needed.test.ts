import { expect, test } from 'vitest';
import { MeanTest } from './mean-test.ts';
import { drawPair, seededRandom } from './testing/random.ts';
import { threadsNeeded } from './threads-needed.ts';

test('is the number of threads by which about 80 % of runs decide', () => {
  const random = seededRandom(1);
  const needed = threadsNeeded({ logWealth: 0, level: 0.05, gap: 0.1, meanSquare: 0.5 });
  let decided = 0;
  for (let run = 0; run < 500; run++) {
    const tested = new MeanTest({ low: -1, high: 1, side: 'above', nullMean: 0, gap: 0.1, population: null });
    for (let i = 0; i < needed; i++) tested.add(drawPair(random, 0.3, 0.2));
    if (tested.peak >= Math.log(20)) decided++;
  }
  expect(decided / 500).toBeGreaterThan(0.74);
  expect(decided / 500).toBeLessThan(0.86);
});

test('falls with the wealth, and is 0 once it is enough', () => {
  const needed = [-2, 0, 2, 3].map((logWealth) => threadsNeeded({ logWealth, level: 0.05, gap: 0.1, meanSquare: 0.5 }));
  expect(needed).toEqual(needed.toSorted((a, b) => b - a));
  expect(needed[3]).toBe(0);
});
