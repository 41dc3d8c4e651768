import { createHmac } from 'node:crypto';

export const bucketCount = 10_000;

/** Which variant each bucket belongs to, as runs: a variant's place in the plan, and for how many buckets. */
export type BucketRuns = [variant: number, count: number][];

/**
 * The bucket of a unit. It depends on nothing but the key of the experiment and the unit, so every process computes the same, and
 * with another key other units come first.
 */
export function bucketOf(key: string, unit: string): number {
  const digest = createHmac('sha256', key).update(unit).digest();
  // 48 bits: each bucket's share differs from 1 in 10,000 by less than one in 10^10.
  return digest.readUIntBE(0, 6) % bucketCount;
}

/** How many buckets each share gets: all together, each rounded up or down. */
export function bucketsOf(shares: readonly number[]): number[] {
  const exact = shares.map((share) => share * bucketCount);
  const counts = exact.map((each) => Math.floor(each + 1e-9));
  let left = bucketCount - counts.reduce((sum, each) => sum + each, 0);
  const byRemainder = exact.map((each, index) => ({ index, rest: each - counts[index]! }));
  byRemainder.sort((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of byRemainder) if (left-- > 0) counts[index]!++;
  return counts;
}

/**
 * Gives each variant its buckets and moves as few as possible: a variant that shrinks gives those away that have moved before, and then
 * its last ones, and one that grows takes the first that are free.
 * @param before the variant of each bucket, or −1 where that one exists no more
 * @param moved 1 for each bucket that has moved before
 */
export function moveBuckets(before: Int16Array, counts: readonly number[], moved?: Int16Array): Int16Array {
  const after = new Int16Array(before.length).fill(-1);
  const held = counts.map(() => 0);
  for (const keptMoved of [0, 1]) {
    for (const [bucket, variant] of before.entries()) {
      if (variant < 0 || (moved?.[bucket] ?? 0) !== keptMoved || held[variant]! >= counts[variant]!) continue;
      after[bucket] = variant;
      held[variant]!++;
    }
  }
  let growing = 0;
  for (const [bucket, variant] of after.entries()) {
    if (variant >= 0) continue;
    while (held[growing]! >= counts[growing]!) growing++;
    after[bucket] = growing;
    held[growing]!++;
  }
  return after;
}

export function runsOf(buckets: Int16Array): BucketRuns {
  const runs: BucketRuns = [];
  for (const variant of buckets) {
    const last = runs.at(-1);
    if (last?.[0] === variant) last[1]++;
    else runs.push([variant, 1]);
  }
  return runs;
}

export function bucketsIn(runs: BucketRuns): Int16Array {
  const buckets = new Int16Array(bucketCount);
  let start = 0;
  for (const [variant, count] of runs) {
    buckets.fill(variant, start, start + count);
    start += count;
  }
  return buckets;
}
