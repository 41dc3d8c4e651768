import { expect, test } from 'vitest';
import { describePreview, nothingToLearn, type Preview } from './train-preview.ts';

const preview: Preview = {
  model: 'me/demo/agent',
  base: 'heddle/tiny',
  step: 3,
  matched: 1200,
  read: 1000,
  skipped: [{ reason: 'it failed', count: 2 }],
  groups: 20,
  withoutSpread: { single: 3, equal: 2 },
  trajectories: 500,
  calls: 998,
  rewards: { min: 0, mean: 0.45678, max: 1 },
  advantages: { min: -1.2344, mean: -0.0001, max: 2 },
  tokens: { trained: 12_345, masked: 6, exact: 12_000, reconstructed: 345, promptsReconstructed: 1 },
  steps: 4,
  learningRate: 5e-6,
  examples: [],
  suites: {
    rows: 1,
    overlaps: [
      {
        ...{ suiteId: 's', suiteName: 'exam', rowIndex: 4, kind: 'near' as const, similarity: 0.9 },
        ...{ line: 3, callId: 'c' },
      },
    ],
  },
  warnings: ['A choice was skipped: it has 2 token ids and 3 logprobs.'],
};

const nothing = { ...preview, skipped: [], matched: 0, calls: 0, trajectories: 0, groups: 0, steps: 0, warnings: [] };
const options = { reward: 'good', groupBy: 'prompt' };

test('shows what a job would be trained on', () => {
  expect(describePreview(preview, 'good').split('\n')).toEqual([
    'model         me/demo/agent over heddle/tiny, from step 3',
    'calls         998 of 1,200 that match, of which the newest 1,000 are read',
    '              2 skipped: it failed',
    'trajectories  500 of 998 calls',
    'groups        20; nothing to learn from 2 with equal rewards and 3 with one trajectory',
    'reward        good: 0 to 1, mean 0.457',
    'advantages    -1.234 to 2, mean 0',
    'tokens        12,345 trained, 6 masked (prompts and context)',
    '              12,000 exact, 345 reconstructed, 1 prompt reconstructed',
    'steps         4, learning rate 5e-6',
    'warning       A choice was skipped: it has 2 token ids and 3 logprobs.',
    'suites        1 row matches rows of suites: the job is refused without --allow-suite-rows',
    '              trajectory 3: near, row 4 of exam',
    '',
  ]);
});

test('reports only this if no call can be trained on', () => {
  expect(describePreview(nothing, 'good').split('\n')).toHaveLength(3);
});

test.each([
  ['no calls', nothing, 'No call matches'],
  ['no chats', { ...nothing, matched: 3 }, 'None of the calls'],
  [
    'nothing to compare',
    { ...preview, steps: 0, groups: 3, withoutSpread: { single: 3, equal: 0 } },
    'have the same prompt',
  ],
  ['equal rewards', { ...preview, steps: 0 }, 'The rewards good are the same'],
])('reports why there is nothing to learn from %s', (_, found, message) => {
  expect(nothingToLearn(found, options)).toContain(message);
});

test('reports no problem for a job with something to learn', () => {
  expect(nothingToLearn(preview, options)).toBeNull();
});
