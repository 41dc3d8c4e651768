import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { estimateOffPolicy, type LoggedAnswer } from './off-policy.ts';

/** Written by scripts/reference/statistics.py, from obp. */
const reference: { answers: LoggedAnswer[]; ips: number; selfNormalized: number; doublyRobust: number } = JSON.parse(
  readFileSync(new URL('../../../testing/statistics/estimates.json', import.meta.url), 'utf8'),
).offPolicy;
const answer: LoggedAnswer = { reward: 1, logged: 0.5, judged: 0.5, predicted: 0, predictedMean: 0 };

test('estimates what obp estimates', () => {
  const found = estimateOffPolicy(reference.answers);
  expect(found.ips).toBeCloseTo(reference.ips, 12);
  expect(found.selfNormalized).toBeCloseTo(reference.selfNormalized, 12);
  expect(found.doublyRobust).toBeCloseTo(reference.doublyRobust, 12);
});

test('counts answers of the same policy in full, and a single heavy one as one', () => {
  expect(estimateOffPolicy([answer, answer, answer]).effectiveSize).toBe(3);
  const rare = { ...answer, judged: 0 };
  expect(estimateOffPolicy([answer, rare, rare]).effectiveSize).toBe(1);
  expect(estimateOffPolicy([rare])).toMatchObject({ ips: 0, selfNormalized: null, effectiveSize: 0 });
});

test('refuses answers that the logging policy could not have chosen, and none at all', () => {
  expect(() => estimateOffPolicy([{ ...answer, logged: 0 }])).toThrow('must be above 0');
  expect(() => estimateOffPolicy([])).toThrow('at least one');
});
