import { expect, test } from 'vitest';
import { isChange, parseProgressState } from './progress.ts';

test.each([
  ['unstarted', 'in_progress', true],
  ['unstarted', 'completed', true],
  ['unstarted', 'skipped', true],
  ['in_progress', 'in_progress', false],
  ['in_progress', 'completed', true],
  ['in_progress', 'skipped', true],
  ['completed', 'completed', false],
  ['skipped', 'skipped', false],
] as const)('from %s to %s is allowed, and a change: %s', (from, to, changes) => {
  expect(isChange(from, to)).toBe(changes);
});

test.each([
  ['completed', 'skipped', /^Invalid state transition from 'completed' to 'skipped'/],
  ['skipped', 'completed', /^Invalid state transition from 'skipped' to 'completed'/],
  ['completed', 'in_progress', /^Cannot transition to 'in_progress' when a record already exists/],
  ['skipped', 'in_progress', /^Cannot transition to 'in_progress'/],
] as const)('from %s to %s is refused', (from, to, message) => {
  expect(() => isChange(from, to)).toThrow(message);
});

test.each([['unstarted'], ['foo'], [''], ['COMPLETED']])('%j is not a state an annotator can set', (text) => {
  const message = `Invalid annotation_state '${text}'. Must be one of: completed, in_progress, skipped`;
  expect(() => parseProgressState(text)).toThrow(message);
});
