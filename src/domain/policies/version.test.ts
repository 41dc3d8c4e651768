import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Assigner, comparableShares, type Unit, unitOf } from './assign.ts';
import { bucketCount, bucketOf, bucketsIn, bucketsOf, moveBuckets, runsOf } from './buckets.ts';
import { checkPlan } from './check-plan.ts';
import { type PolicyPlan, withoutTraffic, withShares } from './plan.ts';
import { nextVersion, type PolicyVersion, undoTo } from './version.ts';

const variants = ['a', 'b', 'c'].map((name) => ({ name, model: `model-${name}`, prompt: null }));

function split(shares: Record<string, number>): PolicyPlan {
  return { variants, incumbent: 'a', traffic: { kind: 'split', shares }, scorers: [], alpha: 0.05 };
}

function stages(stage: number): PolicyPlan {
  const traffic = { kind: 'stages' as const, candidate: 'b', stages: [0.1, 0.25, 1], stage };
  return { variants: variants.slice(0, 2), incumbent: 'a', traffic, scorers: [], alpha: 0.05 };
}

function versions(...plans: PolicyPlan[]): PolicyVersion[] {
  const made: PolicyVersion[] = [];
  for (const plan of plans) made.push(nextVersion('policy', made.at(-1) ?? null, plan));
  return made;
}

const request = (id: number): Unit => ({ kind: 'request', id: String(id) });
const thread = (id: number): Unit => ({ kind: 'thread', id: String(id) });
const countMoved = (one: PolicyVersion, other: PolicyVersion) => {
  const [before, after] = [bucketsIn(one.buckets), bucketsIn(other.buckets)];
  return before.filter((variant, bucket) => variant !== after[bucket]).length;
};

const arbitraryShares = fc
  .array(fc.integer({ min: 0, max: 1000 }), { minLength: 3, maxLength: 3 })
  .filter((weights) => weights.some((weight) => weight > 0))
  .map((weights) => {
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  });

describe('buckets', () => {
  test('of any shares are all given away, each share rounded up or down', () => {
    fc.assert(
      fc.property(arbitraryShares, (shares) => {
        const counts = bucketsOf(shares);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(bucketCount);
        for (const [index, share] of shares.entries())
          expect(Math.abs(counts[index]! - share * bucketCount)).toBeLessThan(1);
      }),
    );
  });

  test('move no more than the shares that grow', () => {
    fc.assert(
      fc.property(arbitraryShares, arbitraryShares, (one, other) => {
        const [from, to] = [bucketsOf(one), bucketsOf(other)];
        const before = moveBuckets(new Int16Array(bucketCount).fill(-1), from);
        const after = moveBuckets(before, to);
        for (const [variant, count] of to.entries())
          expect(after.filter((each) => each === variant)).toHaveLength(count);
        const grown = to.reduce((sum, count, index) => sum + Math.max(0, count - from[index]!), 0);
        expect(before.filter((variant, bucket) => variant !== after[bucket])).toHaveLength(grown);
      }),
      { numRuns: 30 },
    );
  });

  test('are the same after they were stored', () => {
    const buckets = moveBuckets(new Int16Array(bucketCount).fill(-1), [1000, 2500, 6500]);
    expect(bucketsIn(JSON.parse(JSON.stringify(runsOf(buckets))))).toEqual(buckets);
  });

  test('have about as many units each', () => {
    const counts = new Array(10).fill(0);
    for (let unit = 0; unit < 100_000; unit++) counts[Math.floor(bucketOf('key', String(unit)) / 1000)]++;
    const chiSquared = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
    expect(chiSquared).toBeLessThan(27.9); // 0.1 % of chance, but the key is fixed
  });
});

describe('a version', () => {
  test('gives 100,000 units the same variants in each of three computations from stored rows', () => {
    const made = versions(stages(1), stages(2), split({ a: 0.5, b: 0.3, c: 0.2 }));
    const kinds = ['thread', 'user', 'request'] as const;
    for (const version of made) {
      const assigners = [1, 2, 3].map(() => new Assigner(JSON.parse(JSON.stringify(version))));
      for (let id = 0; id < 100_000; id++) {
        const unit = { kind: kinds[id % 3]!, id: `unit ${id}` };
        const [first, ...others] = assigners.map((assigner) => assigner.assign(unit));
        for (const other of others) if (other.variant.name !== first!.variant.name) expect(other).toEqual(first);
      }
    }
  });

  test('moves only the units that a larger stage needs, and remembers them', () => {
    const [first, second] = versions(stages(1), stages(2));
    expect(countMoved(first!, second!)).toBe(1500);
    const [one, two] = [new Assigner(first!), new Assigner(second!)];
    let moved = 0;
    for (let id = 0; id < 10_000; id++) {
      const [before, after] = [one.assign(thread(id)), two.assign(thread(id))];
      expect(before.isMoved).toBe(false);
      expect(after.isMoved).toBe(before.variant.name !== after.variant.name);
      expect(two.assign(request(id)).isMoved).toBe(false);
      if (after.isMoved) moved++;
    }
    expect(moved).toBeGreaterThan(1300);
    expect(moved).toBeLessThan(1700);
  });

  test('reports the probability of the variant, and the shares that units that count have', () => {
    const [, second] = versions(stages(1), stages(2));
    const found = new Set<string>();
    const assigner = new Assigner(second!);
    for (let id = 0; id < 100; id++) {
      const { variant, probability } = assigner.assign(request(id));
      found.add(`${variant.name} ${probability}`);
    }
    expect([...found].sort()).toEqual(['a 0.75', 'b 0.25']);
    expect(comparableShares(second!, 'request')).toEqual([0.75, 0.25]);
    expect(comparableShares(second!, 'thread')).toEqual([7500 / 8500, 1000 / 8500]);
  });

  test('undoes another one: the same units have the same variants', () => {
    const [first, second] = versions(stages(1), stages(2));
    const undone = undoTo(second!, first!);
    expect(undone).toMatchObject({ number: 3, buckets: first!.buckets, key: first!.key, plan: first!.plan });
    expect(bucketsIn(undone.moved).filter((each) => each === 1)).toHaveLength(1500);
  });

  test('gives other units to the next candidate', () => {
    const [first, , third] = versions(stages(1), stages(0), stages(1));
    const [one, other] = [new Assigner(first!), new Assigner(third!)];
    let both = 0;
    let ofFirst = 0;
    for (let id = 0; id < 20_000; id++) {
      if (one.assign(thread(id)).variant.name !== 'b') continue;
      ofFirst++;
      if (other.assign(thread(id)).variant.name === 'b') both++;
    }
    expect(both / ofFirst).toBeLessThan(0.15);
    const elsewhere = nextVersion('another policy', null, stages(1));
    expect(elsewhere.key).not.toBe(first!.key);
  });

  test('begins a new experiment with other variants, and moves only the buckets of those that are gone', () => {
    const [first, second] = versions(split({ a: 0.5, b: 0.3, c: 0.2 }), stages(1));
    expect(countMoved(first!, second!)).toBe(2000 + 2000); // those of c, and those that b gives back
    expect(second!.experiment).toBe(2);
    expect(second!.key).toBe(first!.key);
  });

  test('without the traffic of a variant gives it to the incumbent', () => {
    expect(withoutTraffic(stages(2), 'b').traffic).toMatchObject({ stage: 0 });
    expect(withoutTraffic(split({ a: 0.5, b: 0.3, c: 0.2 }), 'b').traffic).toEqual({
      kind: 'split',
      shares: { a: 0.8, b: 0, c: 0.2 },
    });
  });
});

test('the unit is the thread, or else the user, or else the request', () => {
  expect(unitOf({ threadId: 't', user: 'u', requestId: 'r' })).toEqual({ kind: 'thread', id: 't' });
  expect(unitOf({ threadId: null, user: 'u', requestId: 'r' })).toEqual({ kind: 'user', id: 'u' });
  expect(unitOf({ threadId: null, user: null, requestId: 'r' })).toEqual({ kind: 'request', id: 'r' });
});

test('a plan with a fault is rejected with the field and the rule', () => {
  const plan = stages(1);
  const scorer = { reward: 'liked', low: 0, high: 1, windowSeconds: 60, missing: 'ignore' as const, harm: 0.1 };
  const best = {
    kind: 'best_arm' as const,
    scorer: 'liked',
    least: 0.1,
    shares: null,
    afterWinner: 'keep_least' as const,
  };
  expect(() => checkPlan({ ...plan, scorers: [scorer] })).not.toThrow();
  expect(() => checkPlan({ ...plan, traffic: best, scorers: [scorer] })).not.toThrow();
  const faulty: [Partial<PolicyPlan>, RegExp][] = [
    [{ incumbent: 'z' }, /There is no variant z\. Variants: a, b/],
    [{ variants: [] }, /1 to 20 variants/],
    [{ variants: [variants[0]!, variants[0]!] }, /same name/],
    [{ variants: [{ ...variants[0]!, name: 'a b' }] }, /not a name/],
    [{ alpha: 0 }, /alpha/],
    [{ traffic: { kind: 'split', shares: { a: 0.5 } } }, /add up to 1/],
    [{ traffic: { kind: 'stages', candidate: 'b', stages: [0.5, 0.1], stage: 1 } }, /larger share/],
    [{ traffic: { kind: 'stages', candidate: 'a', stages: [0.5], stage: 1 } }, /must not be the incumbent/],
    [{ traffic: { kind: 'stages', candidate: 'b', stages: [0.5], stage: 2 } }, /between 0 .* and 1, got 2/],
    [{ scorers: [{ ...scorer, windowSeconds: 0 }] }, /window_seconds/],
    [{ scorers: [{ ...scorer, reward: 'output.x' }] }, /field of the call/],
    [{ traffic: { ...best, scorer: 'other' } }, /No scorer has the reward other/],
    [{ traffic: best, scorers: [{ ...scorer, missing: 'shown_only' }] }, /only shown/],
    [{ traffic: { ...best, least: 0.6 } }, /least must be between/],
    [{ traffic: { ...best, shares: { a: 0.99, b: 0.01 } } }, /share of b is 0\.01/],
    [{ traffic: { ...best, shares: { b: 1 } } }, /share of a is 0/],
    [{ traffic: best, variants: variants.slice(0, 1) }, /at least two/],
    [{ scorers: [scorer, scorer] }, /same reward/],
  ];
  for (const [change, message] of faulty)
    expect(() => checkPlan({ ...plan, scorers: [scorer], ...change })).toThrow(message);
});

test('shares that go back and forth move the buckets again that have moved before', () => {
  const swing = [0.5, 0.3, 0.7, 0.4, 0.6].map((share) => split({ a: share, b: 1 - share }));
  const last = versions(...swing).at(-1)!;
  expect(bucketsIn(last.moved).filter((each) => each === 1)).toHaveLength(4000);
});

test('shares that a best-arm plan leaves open are equal, or those of the version before, at least the least one', () => {
  const best = {
    kind: 'best_arm' as const,
    scorer: 'liked',
    least: 0.1,
    shares: null,
    afterWinner: 'keep_least' as const,
  };
  const plan: PolicyPlan = { ...split({}), traffic: best };
  const sharesIn = ({ traffic }: PolicyPlan) => (traffic.kind === 'best_arm' ? traffic.shares : null);
  expect(Object.values(sharesIn(withShares(plan, split({ a: 1 })))!)).toEqual([1 / 3, 1 / 3, 1 / 3]);
  const before = { ...plan, traffic: { ...best, shares: { a: 0.85, b: 0.15, c: 0 } } };
  expect(sharesIn(withShares(plan, before))).toEqual({ a: 0.85, b: 0.15, c: 0 });
  const raised = sharesIn(withShares({ ...plan, traffic: { ...best, least: 0.2 } }, before))!;
  for (const [name, share] of Object.entries({ a: 0.8, b: 0.2, c: 0 })) expect(raised[name]).toBeCloseTo(share, 12);
  expect(sharesIn(withShares({ ...plan, traffic: { ...best, shares: { a: 1 } } }, before))).toEqual({ a: 1 });
});
