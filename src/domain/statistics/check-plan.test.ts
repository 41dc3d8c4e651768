import { expect, test } from 'vitest';
import { checkPlan } from './check-plan.ts';
import type { GatePlan } from './plan.ts';

const score = { name: 'passes', measure: { kind: 'score', low: 0, high: 1 }, better: 'higher' } as const;
const latency = { name: 'slow', measure: { kind: 'quantile', quantile: 0.9, limit: 5 }, better: 'lower' } as const;
const plan: GatePlan = {
  target: { ...score, gain: 0.05 },
  guardrails: [{ ...latency, margin: 0.05 }],
  watched: [{ ...score, harm: 0.2, threads: 50 }],
  alpha: 0.05,
  threads: 100,
  threadsMax: 80,
};

test('accepts a plan that can be decided', () => {
  expect(() => checkPlan(plan)).not.toThrow();
});

test.each<[Partial<GatePlan>, string]>([
  [{ target: { ...score, gain: 0 } }, "'passes' has the gain 0"],
  [{ target: { ...score, gain: 1 } }, 'below 1'],
  [{ target: { ...latency, gain: 0.05 } }, 'a measure that compares'],
  [{ guardrails: [{ ...latency, margin: 0.95 }] }, "'slow' has the margin 0.95"],
  [{ watched: [{ ...score, harm: Number.NaN, threads: 50 }] }, 'the harm NaN'],
  [{ watched: [{ ...score, harm: 0.2, threads: 101 }] }, '101 threads'],
  [{ alpha: 1 }, 'alpha is 1'],
  [{ threadsMax: 0 }, 'threadsMax is 0'],
])('refuses %j', (change, message) => {
  expect(() => checkPlan({ ...plan, ...change })).toThrow(message);
});
