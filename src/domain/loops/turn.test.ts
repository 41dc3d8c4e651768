import { describe, expect, test } from 'vitest';
import type { LoopPlan } from '../../contract/loops/loop.ts';
import type { PolicyLook } from '../policies/look.ts';
import { countedUnits, isStageOver, nextTurnAt } from './turn.ts';

const scorer = (reward: string, missing: 'ignore' | 'shown_only' = 'ignore') => ({
  ...{ reward, missing, low: 0, high: 1, window_seconds: 60, harm: 0.1 },
});
const rollout = (more: Partial<LoopPlan['rollout']> = {}): LoopPlan['rollout'] => ({
  ...{ policy: 'bot', stages: [0.5], units: 10, hours: 1, scorers: [scorer('a'), scorer('b')], alpha: 0.05 },
  ...more,
});

describe('the units of a stage', () => {
  const look = {
    scorers: [
      { reward: 'a', variants: [{ name: 'next', counted: 7 }] },
      { reward: 'b', variants: [{ name: 'next', counted: 3 }] },
    ],
  } as unknown as PolicyLook;

  test('are those of the scorer with the fewest', () => {
    expect(countedUnits(look, rollout(), 'next')).toBe(3);
    expect(countedUnits(look, rollout({ scorers: [scorer('a'), scorer('c')] }), 'next')).toBe(0);
    expect(countedUnits(null, rollout(), 'next')).toBe(0);
  });

  test('do not wait for scorers that are only shown', () => {
    expect(countedUnits(look, rollout({ scorers: [scorer('a'), scorer('b', 'shown_only')] }), 'next')).toBe(7);
    expect(countedUnits(look, rollout({ scorers: [scorer('b', 'shown_only')] }), 'next')).toBeNull();
  });
});

test('a stage is over after its hours and its units, whichever come later', () => {
  const at = (counted: number | null) => ({
    ...{ versionBefore: 1, version: 2, stage: 1, counted },
    stageBeganAt: '2026-01-01T00:00:00Z',
  });
  const [early, late] = [new Date('2026-01-01T00:59:00Z'), new Date('2026-01-01T01:00:00Z')];
  expect(isStageOver(rollout(), at(10), early)).toBe(false);
  expect(isStageOver(rollout(), at(9), late)).toBe(false);
  expect(isStageOver(rollout(), at(10), late)).toBe(true);
  expect(isStageOver(rollout(), at(null), late)).toBe(true);
});

test('the next turn begins so many hours after the last one began, and at once if that has passed', () => {
  const plan = (every: number | null) => ({ every_hours: every }) as LoopPlan;
  const [began, now] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T05:00:00Z')];
  expect(nextTurnAt(plan(24), began, now)).toEqual(new Date('2026-01-02T00:00:00Z'));
  expect(nextTurnAt(plan(2), began, now)).toEqual(now);
  expect(nextTurnAt(plan(null), began, now)).toBeNull();
});
