import { expect, test } from 'vitest';
import { splitMetrics } from './split-metrics.ts';

const group = (rewards: number[], exceptions = 0, metrics: Record<string, unknown> = {}) => ({
  trajectories: rewards.map((reward) => ({ reward, metrics: { steps: reward * 10, note: 'x' } })),
  exceptions: Array.from({ length: exceptions }, () => ({})),
  metrics,
});

test('averages rewards over all trajectories, and their spread over groups of more than one [training 33 34 35 36]', () => {
  expect(splitMetrics('val', [group([0, 1]), group([0.5], 1, { depth: 3, isHard: true })])).toEqual({
    'val/reward': 0.5,
    'val/reward_std_dev': 0.5,
    'val/exception_rate': 0.25,
    'val/steps': 5,
    'val/group_depth': 3,
    'val/group_isHard': 1,
  });
});

test('reports no reward where every attempt failed', () => {
  expect(splitMetrics('val', [group([], 2)])).toEqual({ 'val/exception_rate': 1 });
  expect(splitMetrics('val', [])).toEqual({});
});

test('omits values that are not finite numbers [training 27]', () => {
  const metrics = { large: 1e308, infinite: Number.POSITIVE_INFINITY, text: '1', none: null, list: [1] };
  const trajectories = [1, 2].map(() => ({ reward: 1e308, metrics }));
  expect(splitMetrics('val', [{ trajectories, exceptions: null, metrics: null }])).toEqual({ 'val/exception_rate': 0 });
});

test('keeps a metric whose name is also a property of every object', () => {
  const metrics = Object.fromEntries([['__proto__', 1]]);
  const trajectories = [{ reward: 1, metrics: JSON.parse('{"__proto__": 2, "constructor": 3}') }];
  expect(Object.entries(splitMetrics('val', [{ trajectories, exceptions: null, metrics }]))).toEqual(
    expect.arrayContaining([
      ['val/__proto__', 2],
      ['val/constructor', 3],
    ]),
  );
});
