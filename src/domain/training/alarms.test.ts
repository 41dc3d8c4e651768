import { expect, test } from 'vitest';
import { alarmsOf } from './alarms.ts';

const metrics = (reward: number, entropy: number, mismatch = 1e-4) => ({
  'train/reward': reward,
  'train/entropy': entropy,
  'train/sampler_mismatch': mismatch,
});

test('warns when the entropy collapses while the reward rises', () => {
  expect(alarmsOf([metrics(0.2, 3), metrics(0.4, 2)], metrics(0.8, 0.5))).toEqual([
    'The entropy fell from 3.00 to 0.500 within 2 steps while the reward rose.',
  ]);
});

test('warns when trainer and sampler diverge while the reward rises', () => {
  expect(alarmsOf([metrics(0.2, 3, 0.02)], metrics(0.8, 3, 0.2))).toEqual([expect.stringContaining('up from 0.0200')]);
  expect(alarmsOf([metrics(0.2, 3, 1e-5)], metrics(0.8, 3, 1e-3))).toEqual([]);
});

test('raises no alarm without a rising reward or without history', () => {
  expect(alarmsOf([metrics(0.8, 3)], metrics(0.2, 0.1))).toEqual([]);
  expect(alarmsOf([], metrics(0.8, 0.1))).toEqual([]);
  expect(alarmsOf([{}], metrics(0.8, 0.1))).toEqual([]);
});
