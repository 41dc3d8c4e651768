import { expect, test } from 'vitest';
import { runLoop } from './run-loop.ts';
import { parts } from './settings.ts';

/** The short form of `npm run bench -- loop`, which has 200 loops. */
const loops = [0, 1, 2, 3, 4, 5];
const complete = loops.map((loop) => runLoop(7, loop, null));

test('simulated loops make models better, promote none that is worse, and train on no row of a suite', () => {
  for (const { first, last, worse, leaked, trainedOnLeaked, quality } of complete) {
    expect(last).toBeGreaterThan(first);
    expect([worse, trainedOnLeaked, quality.length]).toEqual([0, 0, 8]);
    expect(leaked).toBeGreaterThan(0);
  }
});

test.each(parts)('without the %s they end with worse models', (off) => {
  const loss = loops.map((loop, i) => complete[i]!.last - runLoop(7, loop, off).last);
  expect(loss.reduce((sum, each) => sum + each, 0) / loops.length).toBeGreaterThan(0);
});

test('the same seed gives the same loop', () => {
  expect(runLoop(7, 0, null)).toEqual(complete[0]);
  expect(runLoop(8, 0, null)).not.toEqual(complete[0]);
});
