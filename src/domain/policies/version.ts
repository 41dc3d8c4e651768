import { createHmac } from 'node:crypto';
import { type BucketRuns, bucketCount, bucketsIn, bucketsOf, moveBuckets, runsOf } from './buckets.ts';
import { type PolicyPlan, sharesOf } from './plan.ts';

/** A state of a policy. It never changes. */
export type PolicyVersion = {
  /** 1, 2, 3 … */
  number: number;
  plan: PolicyPlan;
  /** Of the experiment: it decides the buckets of units. */
  key: string;
  /** The version with which the experiment began: since then, the key and the names of the variants are the same. */
  experiment: number;
  buckets: BucketRuns;
  /** Buckets that have moved from one variant to another since the experiment began: 1 for those. */
  moved: BucketRuns;
};

/**
 * The version after another one. While one variant has all traffic, a new key moves nobody, so the next experiment starts with
 * other units. During an experiment, as few buckets as possible move, and those that did are remembered.
 * @param policyKey of the policy, never of an experiment itself
 */
export function nextVersion(policyKey: string, before: PolicyVersion | null, plan: PolicyPlan): PolicyVersion {
  const number = (before?.number ?? 0) + 1;
  const counts = bucketsOf(sharesOf(plan));
  const begun = before === null || holdsOne(before);
  if (begun) {
    const start = new Int16Array(bucketCount).fill(incumbentOf(plan));
    const buckets = runsOf(moveBuckets(start, counts));
    const key = createHmac('sha256', policyKey).update(`experiment ${number}`).digest('hex');
    return { number, plan, key, experiment: number, buckets, moved: [[0, bucketCount]] };
  }
  const old = placed(before, plan);
  const isSame = namesOf(before.plan) === namesOf(plan);
  const movedBefore = isSame ? bucketsIn(before.moved) : new Int16Array(bucketCount);
  const now = moveBuckets(old, counts, movedBefore);
  const moved = movedBefore.map((was, bucket) => (was === 1 || old[bucket] !== now[bucket] ? 1 : 0));
  return {
    ...{ number, plan, key: before.key, buckets: runsOf(now), moved: runsOf(moved) },
    experiment: isSame ? before.experiment : number,
  };
}

/** A version equal to an earlier one: the same units get the same variants again. */
export function undoTo(latest: PolicyVersion, target: PolicyVersion): PolicyVersion {
  const number = latest.number + 1;
  const { plan, buckets, key } = target;
  if (key !== latest.key) return { number, plan, key, experiment: number, buckets, moved: [[0, bucketCount]] };
  const old = placed(latest, plan);
  const now = bucketsIn(buckets);
  const movedBefore = bucketsIn(latest.moved);
  const moved = movedBefore.map((was, bucket) => (was === 1 || old[bucket] !== now[bucket] ? 1 : 0));
  const isSame = namesOf(latest.plan) === namesOf(target.plan);
  return { number, plan, key, buckets, moved: runsOf(moved), experiment: isSame ? latest.experiment : number };
}

/** The old variant of each bucket as a place in the new plan. */
function placed(before: PolicyVersion, plan: PolicyPlan): Int16Array {
  const places = before.plan.variants.map(({ name }) => plan.variants.findIndex((each) => each.name === name));
  return bucketsIn(before.buckets).map((variant) => places[variant]!);
}

function holdsOne({ buckets }: PolicyVersion): boolean {
  return new Set(buckets.map(([variant]) => variant)).size === 1;
}

function incumbentOf({ variants, incumbent }: PolicyPlan): number {
  return variants.findIndex(({ name }) => name === incumbent);
}

/** What must stay the same for answers to be compared: the variants and what they are. */
function namesOf({ variants }: PolicyPlan): string {
  return JSON.stringify(variants.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}
