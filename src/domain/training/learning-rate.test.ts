import { expect, test } from 'vitest';
import { type LearningRateSchedule, learningRateAt } from './learning-rate.ts';

const schedule = { peak: 1, min: 0.2, steps: 7, warmupSteps: 2 };
const ratesOf = (kind: LearningRateSchedule['kind'], changes: Partial<LearningRateSchedule> = {}) => {
  const whole = { ...schedule, kind, ...changes };
  return Array.from({ length: whole.steps }, (_, step) => Number(learningRateAt(whole, step).toFixed(6)));
};

test('warms up from above the minimum to the peak, then stays, or falls to the minimum', () => {
  expect(ratesOf('constant')).toEqual([0.6, 1, 1, 1, 1, 1, 1]);
  expect(ratesOf('linear')).toEqual([0.6, 1, 1, 0.8, 0.6, 0.4, 0.2]);
  expect(ratesOf('cosine')).toEqual([0.6, 1, 1, 0.882843, 0.6, 0.317157, 0.2]);
});

test('starts at the peak without a warm-up, even if there is only one step', () => {
  expect(ratesOf('linear', { warmupSteps: 0, steps: 3 })).toEqual([1, 0.6, 0.2]);
  expect(ratesOf('cosine', { warmupSteps: 0, steps: 1 })).toEqual([1]);
});
