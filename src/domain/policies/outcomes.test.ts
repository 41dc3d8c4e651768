import { describe, expect, test } from 'vitest';
import { seededRandom } from '../statistics/testing/random.ts';
import { type AssignedAnswer, type Rating, VersionOutcomes } from './outcomes.ts';
import type { PolicyPlan, PolicyScorer } from './plan.ts';
import { nextVersion } from './version.ts';

const second = 1_000_000;
const scorer: PolicyScorer = { reward: 'liked', low: 0, high: 1, windowSeconds: 60, missing: 'ignore', harm: 0.1 };

function outcomesOf(scorers: PolicyScorer[], share = 0.5) {
  const variants = ['now', 'next'].map((name) => ({ name, model: name, prompt: null }));
  const traffic = { kind: 'stages' as const, candidate: 'next', stages: [share], stage: 1 };
  const plan: PolicyPlan = { variants, incumbent: 'now', traffic, scorers, alpha: 0.05 };
  return new VersionOutcomes(nextVersion('key', null, plan));
}

function answer(id: string, more: Partial<AssignedAnswer> = {}): AssignedAnswer {
  const unit = { kind: 'request' as const, id };
  return { callId: id, unit, variant: 'next', isMoved: false, endedAt: 0, hasFailed: false, ...more };
}

const liked = (callId: string, payload: unknown, createdAt = second): Rating => ({
  callId,
  type: 'liked',
  payload,
  createdAt,
});

/** Adds answers, closes what is due by a time, and returns what a scorer found about `next`. */
function counted(outcomes: VersionOutcomes, ratings: Rating[], untilSeconds: number, place = 0) {
  for (const due of outcomes.due(untilSeconds * second)) outcomes.close(due, ratings);
  return outcomes.look(untilSeconds * second).scorers[place]!.variants[1]!;
}

describe('a unit', () => {
  test('counts once its window has closed, with the feedback that came by then', () => {
    const outcomes = outcomesOf([scorer]);
    outcomes.add(answer('a'));
    outcomes.add(answer('b'));
    const ratings = [liked('a', 1), liked('b', 0), liked('b', 1, 61 * second)];
    expect(counted(outcomes, ratings, 59)).toMatchObject({ counted: 0, open: 2, mean: null });
    expect(counted(outcomes, ratings, 60)).toMatchObject({ counted: 2, open: 0, mean: 0.5 });
  });

  test('without feedback is left out, counts as 0, or only shows', () => {
    const outcomes = outcomesOf([scorer, { ...scorer, reward: 'solved', missing: 'zero' }]);
    for (const id of ['a', 'b', 'c']) outcomes.add(answer(id));
    const ratings = [liked('a', 1), { ...liked('a', true), type: 'solved' }];
    expect(counted(outcomes, ratings, 60)).toMatchObject({ counted: 1, missing: 2, mean: 1 });
    expect(counted(outcomes, ratings, 60, 1)).toMatchObject({ counted: 3, missing: 2, mean: 1 / 3 });
  });

  test('counts as 0 at once when its variant fails, whatever is said about the answer', () => {
    const outcomes = outcomesOf([scorer]);
    outcomes.add(answer('a', { hasFailed: true, endedAt: 5 * second }));
    expect(counted(outcomes, [liked('a', 1)], 5)).toMatchObject({ counted: 1, open: 0, mean: 0 });
    expect(outcomes.look(0).variants[1]).toMatchObject({ answers: 1, failures: 1, units: 1 });
  });

  test('that is a thread counts once, with the mean of its answers within the window', () => {
    const outcomes = outcomesOf([scorer]);
    const thread = { kind: 'thread' as const, id: 't' };
    for (const [i, endedAt] of [0, 30, 59, 61].entries())
      outcomes.add(answer(`c${i}`, { unit: thread, endedAt: endedAt * second }));
    const ratings = [liked('c0', 1), liked('c1', 0), liked('c3', 0)];
    expect(counted(outcomes, ratings, 100)).toMatchObject({ counted: 1, mean: 0.5 });
    expect(outcomes.look(0).variants[1]).toMatchObject({ units: 1, answers: 4 });
  });

  test('that has moved is shown, and left out', () => {
    const outcomes = outcomesOf([scorer]);
    outcomes.add(answer('a', { isMoved: true }));
    expect(counted(outcomes, [liked('a', 1)], 100)).toMatchObject({ counted: 0, open: 0 });
    expect(outcomes.look(0).variants[1]).toMatchObject({ units: 1, movedUnits: 1 });
  });

  test('is the same when its call is read again', () => {
    const outcomes = outcomesOf([scorer]);
    outcomes.add(answer('a'));
    outcomes.add(answer('a'));
    counted(outcomes, [liked('a', 1)], 60);
    outcomes.add(answer('a'));
    expect(counted(outcomes, [liked('a', 1)], 60)).toMatchObject({ counted: 1 });
    expect(outcomes.look(0).variants[1]!.answers).toBe(1);
  });
});

test('rewards are scaled to their bounds, and values outside count as the nearest bound', () => {
  const outcomes = outcomesOf([{ ...scorer, low: 1, high: 5 }]);
  for (const id of ['a', 'b', 'c']) outcomes.add(answer(id));
  const found = counted(outcomes, [liked('a', 3), liked('b', 9), liked('c', -1)], 60);
  expect(found).toMatchObject({ counted: 3, mean: 0.5 });
});

test('the order in which answers are read does not matter', () => {
  const answers = Array.from({ length: 200 }, (_, i) =>
    answer(`c${i}`, { endedAt: i * second, variant: i % 2 === 0 ? 'now' : 'next', hasFailed: i % 17 === 0 }),
  );
  const ratings = answers.map(({ callId, endedAt }, i) => liked(callId, i % 3 === 0, endedAt + 1));
  const [one, other] = [outcomesOf([scorer]), outcomesOf([scorer])];
  for (const each of answers) one.add(each);
  for (const each of answers.toReversed()) other.add(each);
  counted(one, ratings, 1000);
  counted(other, ratings, 1000);
  const [{ sampleRatio: _, ...first }, { sampleRatio: __, ...second_ }] = [one.look(1000), other.look(1000)];
  expect(second_).toEqual(first);
});

test('bounds contain the mean, and shrink as values come', () => {
  const widths: number[] = [];
  const outcomes = outcomesOf([scorer]);
  for (let i = 0; i < 2000; i++) {
    outcomes.add(answer(`c${i}`, { endedAt: i }));
    if (i !== 99 && i !== 1999) continue;
    const ratings = Array.from({ length: i + 1 }, (_, each) => liked(`c${each}`, each % 2));
    const { lower, mean, upper } = counted(outcomes, ratings, 61);
    expect(lower).toBeLessThan(mean!);
    expect(upper).toBeGreaterThan(mean!);
    widths.push(upper! - lower!);
  }
  expect(widths[1]).toBeLessThan(widths[0]! / 2);
});

test('units that are not divided as planned are a mismatch', () => {
  const [fair, unfair] = [outcomesOf([]), outcomesOf([])];
  for (let i = 0; i < 400; i++) {
    fair.add(answer(`c${i}`, { variant: i % 2 === 0 ? 'now' : 'next' }));
    unfair.add(answer(`c${i}`, { variant: i % 3 === 0 ? 'now' : 'next' }));
  }
  expect(fair.look(0).sampleRatio).toMatchObject({ isMismatch: false });
  expect(unfair.look(0).sampleRatio).toMatchObject({ isMismatch: true });
});

describe('a variant that is worse', () => {
  /** Rewards alternate so that `next` is liked in `share` of its answers and `now` in half. */
  function outcomesWith(missing: PolicyScorer['missing'], likedShare: number) {
    const outcomes = outcomesOf([{ ...scorer, missing, harm: 0.3 }]);
    const random = seededRandom(1);
    const ratings: Rating[] = [];
    for (let i = 0; i < 1000; i++) {
      const variant = random() < 0.5 ? 'now' : 'next';
      outcomes.add(answer(`c${i}`, { variant, endedAt: i }));
      if (random() < (variant === 'now' ? 0.5 : likedShare)) ratings.push(liked(`c${i}`, 1));
      else if (missing !== 'zero') ratings.push(liked(`c${i}`, 0));
    }
    counted(outcomes, ratings, 61);
    return outcomes;
  }

  test.each(['ignore', 'zero'] as const)('breaches: missing feedback means %s', (missing) => {
    const breach = outcomesWith(missing, 0.1).breach();
    expect(breach).toMatchObject({ variant: 'next', reward: 'liked', alpha: 0.05 });
    expect(breach!.mean).toBeLessThan(breach!.incumbentMean);
  });

  test('does not breach where the scorer is only shown, or if it is not worse', () => {
    expect(outcomesWith('shown_only', 0.1).breach()).toBeNull();
    expect(outcomesWith('ignore', 0.5).breach()).toBeNull();
  });

  test('breaches by its failures alone', () => {
    const outcomes = outcomesOf([{ ...scorer, harm: 0.3 }]);
    const random = seededRandom(2);
    for (let i = 0; i < 1000; i++) {
      const variant = random() < 0.5 ? 'now' : 'next';
      outcomes.add(answer(`c${i}`, { variant, endedAt: i, hasFailed: variant === 'next' && random() < 0.5 }));
    }
    const ratings = Array.from({ length: 1000 }, (_, i) => liked(`c${i}`, 1));
    counted(outcomes, ratings, 61);
    expect(outcomes.breach()).toMatchObject({ variant: 'next' });
  });
});
