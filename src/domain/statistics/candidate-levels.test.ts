import { expect, test } from 'vitest';
import { candidatesLeft, levelOfNext } from './candidate-levels.ts';

test('never spends more than the α of the suite while nothing is promoted', () => {
  const levels = Array.from({ length: 500 }, (_, seen) => level(new Array<boolean>(seen).fill(false)));
  expect(levels[0]).toBe(0.025);
  expect(levels.reduce((sum, each) => sum + each, 0)).toBeLessThan(0.05);
  expect(levels).toEqual(levels.toSorted((a, b) => b - a));
});

test('allows more after promotions, and never more than α', () => {
  expect(level([true, false])).toBeCloseTo(2 * level([false, false]), 12);
  expect(level([true])).toBeLessThanOrEqual(0.05);
});

test('says when fresh rows are due', () => {
  const threadsAtLevel = (alpha: number) => 100 * Math.log(1 / alpha);
  const fresh = { alpha: 0.05, promoted: [] };
  const left = candidatesLeft(fresh, 600, threadsAtLevel);
  expect(left).toBeGreaterThan(2);
  expect(candidatesLeft({ alpha: 0.05, promoted: new Array(left).fill(false) }, 600, threadsAtLevel)).toBe(0);
  expect(candidatesLeft(fresh, 100, threadsAtLevel)).toBe(0);
});

function level(promoted: boolean[]): number {
  return levelOfNext({ alpha: 0.05, promoted });
}
