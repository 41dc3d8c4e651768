import { describe, expect, test } from 'vitest';
import { parseRewardPath, type Rated, rewardOf } from './reward.ts';

function found(path: string, rated: { feedback?: Rated['feedback']; output?: unknown }) {
  const { feedback = [], output = null } = rated;
  return rewardOf(parseRewardPath(path), { feedback, field: (column) => (column === 'output' ? output : {}) });
}

const score = (name: string, output: unknown) => ({ type: `wandb.runnable.${name}`, payload: { output } });

describe('a reward is', () => {
  test.each([
    ['the score of a scorer', 'correct', { feedback: [score('correct', 0.5)] }, 0.5],
    ['1 for true', 'correct', { feedback: [score('correct', true)] }, 1],
    ['0 for false', 'correct', { feedback: [score('correct', false)] }, 0],
    ['the newest score', 'correct', { feedback: [score('correct', 1), score('correct', 2)] }, 2],
    ['a field of a score', 'judge.detail.passed', { feedback: [score('judge', { detail: { passed: true } })] }, 1],
    ['the score of the longest name', 'a.b', { feedback: [score('a.b', 1), score('a', { b: 2 })] }, 1],
    ['an annotation', 'stars', { feedback: [{ type: 'wandb.annotation.stars', payload: { value: 4 } }] }, 4],
    ['feedback of a type of its own', 'mine.value', { feedback: [{ type: 'mine', payload: { value: 3 } }] }, 3],
    [
      'feedback as a query names it',
      'feedback.[wandb.runnable.x].payload.output.y',
      { feedback: [score('x', { y: 2 })] },
      2,
    ],
    ['a field of the output', 'output.scores.0', { output: { scores: [0.25] } }, 0.25],
    ['the output itself', 'output', { output: 7 }, 7],
  ])('%s', (_, path, rated, reward) => {
    expect(found(path, rated)).toEqual({ reward });
  });
});

test('treats null and missing values as no reward', () => {
  expect(found('correct', { feedback: [score('other', 1)] })).toBeNull();
  expect(found('correct', { feedback: [score('correctness', 1), score('correct', null)] })).toBeNull();
  expect(found('output.constructor', { output: {} })).toBeNull();
});

test('reports a reason for values that are not numbers', () => {
  expect(found('judge', { feedback: [score('judge', { passed: true, why: '' })] })).toEqual({
    fault: 'the reward is an object: select one of its fields, such as judge.passed, judge.why',
  });
  expect(found('output', { output: 'good' })).toEqual({ fault: expect.stringContaining('but a string') });
});

test.each(['feedback.x', 'feedback.[*].payload.output', 'feedback.[a].runnable_ref', ' '])('rejects %j', (path) => {
  expect(() => parseRewardPath(path)).toThrow();
});
