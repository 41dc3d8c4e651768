import { expect, test } from 'vitest';
import { TrainingDiverged } from '../engine/training/types.ts';
import { notFound } from '../util/failures.ts';
import { failureMessage } from './failure-message.ts';

test.each([
  ['a full disk', Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' }), /^The disk is full\. The last check/],
  [
    'a loss that is not finite',
    new TrainingDiverged('The loss is NaN.'),
    /^The training diverged: The loss is NaN\. A/,
  ],
  ['a failure with a message for users', notFound('The base model is gone.'), /^The base model is gone\.$/],
])('explains %s', (_, error, message) => {
  expect(failureMessage(error)).toEqual({ message: expect.stringMatching(message), isDefect: false });
});

test('keeps the message of an unexpected error for the log', () => {
  const { message, isDefect } = failureMessage(new TypeError('secret is undefined'));
  expect([message, isDefect]).toEqual([expect.not.stringContaining('secret'), true]);
});
