import { bucketCount, bucketOf, bucketsIn } from './buckets.ts';
import type { Variant } from './plan.ts';
import type { PolicyVersion } from './version.ts';

/** What is assigned as a whole, and so always gets the same variant while its bucket does not move. */
export type Unit = { kind: 'thread' | 'user' | 'request'; id: string };

export type Assigned = {
  variant: Variant;
  unit: Unit;
  bucket: number;
  /** That this unit had of this variant: the share of the variant's buckets. */
  probability: number;
  /** Whether the unit may have had another variant earlier in the experiment; it is left out of comparisons. */
  isMoved: boolean;
};

export type UnitSource = { threadId: string | null; user: string | null; requestId: string };

/** The thread of a request, or else its user, or else the request alone. */
export function unitOf({ threadId, user, requestId }: UnitSource): Unit {
  if (threadId) return { kind: 'thread', id: threadId };
  return user ? { kind: 'user', id: user } : { kind: 'request', id: requestId };
}

/** Decides which variant a unit gets, with the same answer in every process and after every restart. */
export class Assigner {
  readonly #version: PolicyVersion;
  readonly #buckets: Int16Array;
  readonly #moved: Int16Array;
  readonly #probabilities: number[];

  constructor(version: PolicyVersion) {
    this.#version = version;
    this.#buckets = bucketsIn(version.buckets);
    this.#moved = bucketsIn(version.moved);
    const counts = version.plan.variants.map(() => 0);
    for (const variant of this.#buckets) counts[variant]!++;
    this.#probabilities = counts.map((count) => count / bucketCount);
  }

  assign(unit: Unit): Assigned {
    const bucket = bucketOf(this.#version.key, `${unit.kind} ${unit.id}`);
    const variant = this.#buckets[bucket]!;
    return {
      ...{ variant: this.#version.plan.variants[variant]!, unit, bucket },
      probability: this.#probabilities[variant]!,
      isMoved: unit.kind !== 'request' && this.#moved[bucket] === 1,
    };
  }
}

/** The share of each variant among the buckets that have not moved: what units that count are expected to have. */
export function comparableShares({ plan, buckets, moved }: PolicyVersion, kind: Unit['kind']): number[] {
  const [variants, hasMoved] = [bucketsIn(buckets), bucketsIn(moved)];
  const counts = plan.variants.map(() => 0);
  for (const [bucket, variant] of variants.entries()) {
    if (kind === 'request' || hasMoved[bucket] === 0) counts[variant]!++;
  }
  const total = counts.reduce((sum, each) => sum + each, 0);
  return counts.map((count) => (total === 0 ? 0 : count / total));
}
