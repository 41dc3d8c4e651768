import { describe, expect, test } from 'vitest';
import { Assigner, type Unit } from './assign.ts';
import type { AssignedAnswer, Rating } from './outcomes.ts';
import type { PolicyPlan, PolicyScorer, Traffic } from './plan.ts';
import { PolicyOutcomes } from './policy-outcomes.ts';
import { nextVersion, type PolicyVersion } from './version.ts';

const second = 1_000_000;
const scorer: PolicyScorer = { reward: 'liked', low: 0, high: 1, windowSeconds: 60, missing: 'ignore', harm: 0.1 };

function planOf(shareOfB: number, more: Partial<PolicyPlan> = {}): PolicyPlan {
  const variants = ['a', 'b'].map((name) => ({ name, model: name, prompt: null }));
  const shares = { a: 1 - shareOfB, b: shareOfB };
  const traffic: Traffic = { kind: 'best_arm', scorer: 'liked', least: 0.1, shares, afterWinner: 'keep_least' };
  return { variants, incumbent: 'a', traffic, scorers: [scorer], alpha: 0.05, ...more };
}

function versionsOf(...plans: PolicyPlan[]): PolicyVersion[] {
  const made: PolicyVersion[] = [];
  for (const plan of plans) made.push(nextVersion('policy', made.at(-1) ?? null, plan));
  return made;
}

let calls = 0;

function answered(version: PolicyVersion, unit: Unit, more: Partial<AssignedAnswer> = {}): AssignedAnswer {
  const { variant, isMoved } = new Assigner(version).assign(unit);
  return { callId: `c${calls++}`, unit, variant: variant.name, isMoved, endedAt: 0, hasFailed: false, ...more };
}

const liked = ({ callId, endedAt }: AssignedAnswer, payload: number): Rating => ({
  ...{ callId, type: 'liked', payload, createdAt: endedAt + 1 },
});

function closeAll(outcomes: PolicyOutcomes, untilSeconds: number, ratings: Rating[] = []): void {
  for (const due of outcomes.due(untilSeconds * second)) outcomes.close(due, ratings);
}

/** Threads that keep their variant in both versions, and one that does not. */
function threads([one, two]: PolicyVersion[]) {
  const all = Array.from({ length: 200 }, (_, i): Unit => ({ kind: 'thread', id: `t${i}` }));
  const isMoved = (unit: Unit) => new Assigner(two!).assign(unit).isMoved;
  return { one: one!, two: two!, staying: all.find((unit) => !isMoved(unit))!, moving: all.find(isMoved)! };
}

describe('versions that differ in their shares', () => {
  test('count a thread in the version of its first answer, with its answers in both', () => {
    const versions = versionsOf(planOf(0.5), planOf(0.2));
    const { one, two, staying } = threads(versions);
    const outcomes = new PolicyOutcomes(versions, () => true);
    const [first, later] = [answered(one, staying), answered(two, staying, { endedAt: 30 * second })];
    outcomes.add(1, first);
    outcomes.add(2, later);
    outcomes.add(2, later);
    closeAll(outcomes, 100, [liked(first, 1), liked(later, 0)]);
    const [before, now] = [outcomes.look(1, 0), outcomes.look(2, 0)];
    const sum = (counts: number[]) => counts.reduce((total, each) => total + each, 0);
    expect(sum(before.variants.map(({ units }) => units))).toBe(1);
    expect(sum(now.variants.map(({ units }) => units))).toBe(0);
    expect(sum(now.variants.map(({ answers }) => answers))).toBe(1);
    expect(before.scorers[0]!.variants.find(({ counted }) => counted === 1)?.mean).toBe(0.5);
    expect(sum(now.bestArm!.arms.map(({ counted }) => counted))).toBe(1);
  });

  test('leave out a thread after it has moved', () => {
    const versions = versionsOf(planOf(0.5), planOf(0.2));
    const { one, two, moving } = threads(versions);
    const outcomes = new PolicyOutcomes(versions, () => true);
    const [first, later] = [answered(one, moving), answered(two, moving, { endedAt: 30 * second })];
    outcomes.add(1, first);
    outcomes.add(2, later);
    closeAll(outcomes, 100, [liked(first, 1), liked(later, 0)]);
    const { arms } = outcomes.look(2, 0).bestArm!;
    expect(arms.map(({ counted }) => counted)).toEqual([0, 1]);
    expect(outcomes.look(1, 0).scorers[0]!.variants[1]).toMatchObject({ counted: 1, mean: 1 });
  });

  test('are compared together, until what is compared changes', () => {
    const other = planOf(0.3, { scorers: [{ ...scorer, harm: 0.2 }] });
    const versions = versionsOf(planOf(0.5), planOf(0.2), other, planOf(0.4, { scorers: other.scorers }));
    const outcomes = new PolicyOutcomes(versions, () => true);
    expect([1, 2, 3, 4].map((number) => outcomes.look(number, 0).bestArm!.since)).toEqual([1, 1, 3, 3]);
    const needed = new PolicyOutcomes(versions, () => false);
    expect(needed.open).toEqual([3, 4]);
    needed.update([...versions, nextVersion('policy', versions.at(-1)!, planOf(0.2, { scorers: other.scorers }))]);
    expect(needed.look(5, 0).bestArm!.since).toBe(3);
  });
});

test('answers that are read before their version count once it is known; those of no version do not', () => {
  const versions = versionsOf(planOf(0.5), planOf(0.2));
  const outcomes = new PolicyOutcomes(versions.slice(0, 1), () => true);
  outcomes.add(2, answered(versions[1]!, { kind: 'request', id: 'x' }));
  outcomes.add(9, answered(versions[1]!, { kind: 'request', id: 'y' }));
  outcomes.update(versions);
  expect(outcomes.look(2, 0).variants.reduce((sum, { units }) => sum + units, 0)).toBe(1);
});

test('a failure counts as 0: by the scorer that shares follow when its window closes, by a guardrail at once', () => {
  const versions = versionsOf(planOf(0.5, { scorers: [scorer, { ...scorer, reward: 'safe' }] }));
  const outcomes = new PolicyOutcomes(versions, () => true);
  outcomes.add(1, answered(versions[0]!, { kind: 'request', id: 'x' }, { hasFailed: true }));
  const counted = () => outcomes.look(1, 0).scorers.map(({ variants }) => variants.map((each) => each.counted).sort());
  closeAll(outcomes, 59);
  expect(counted()).toEqual([
    [0, 0],
    [0, 1],
  ]);
  closeAll(outcomes, 60);
  expect(counted()).toEqual([
    [0, 1],
    [0, 1],
  ]);
});
