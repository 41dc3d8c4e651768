import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { contextForFile } from '../api/testing/context.ts';
import type { ProjectId } from '../contract/ids.ts';
import { bucketsIn } from '../domain/policies/buckets.ts';
import type { PolicyPlan, PolicyScorer, Traffic } from '../domain/policies/plan.ts';
import { seededRandom } from '../domain/statistics/testing/random.ts';
import type { Caller } from '../identity/identity.ts';
import type { PolicyWithVersions } from '../services/policies/policies.ts';
import { type Rated, recordAnswers } from '../services/policies/testing/assigned-answers.ts';
import { startPolicyWatcher } from './policy-watcher.ts';

const file = contextForFile();
let caller: Caller;
let project: { id: ProjectId; name: string };
let watcher: { close(): Promise<void> } | null = null;
let errors: unknown[] = [];
let projects = 0;
let random = seededRandom(1);

beforeAll(async () => {
  await file.current.identity.ensureOwner({ name: 'ent', apiKey: '' });
  caller = (await file.current.identity.findOwner())!;
});
beforeEach(async () => {
  const name = `ent/a${projects++}`;
  project = { name, id: await file.current.identity.projectForWrite(caller, name) };
  errors = [];
  random = seededRandom(1);
});
afterEach(async () => {
  await watcher?.close();
  watcher = null;
  expect(errors).toEqual([]);
});

const windowSeconds = 60;
const liked: PolicyScorer = { reward: 'liked.value', low: 0, high: 1, windowSeconds, missing: 'ignore', harm: 0.2 };
const safe: PolicyScorer = { ...liked, reward: 'safe.value' };
const bestArm: Traffic = {
  kind: 'best_arm',
  scorer: 'liked.value',
  least: 0.1,
  shares: null,
  afterWinner: 'keep_least',
};
const policies = () => file.current.services.policies;
const owner = () => ({ project, caller });

function planOf(more: Partial<PolicyPlan> = {}): PolicyPlan {
  const variants = ['a', 'b'].map((name) => ({ name, model: 'heddle/tiny', prompt: null }));
  return { variants, incumbent: 'a', traffic: bestArm, scorers: [liked], alpha: 0.05, ...more };
}

async function watch(sharesEveryMs = 0): Promise<void> {
  await watcher?.close();
  const onError = (error: unknown) => errors.push(error);
  const times = { everyMs: 50, settledMs: 0, sharesEveryMs };
  watcher = startPolicyWatcher({ ...file.current, policies: policies() }, { onError, ...times });
}

const read = () => policies().read(owner(), 'bot');
const latest = async () => (await read()).versions[0]!;
const until = (check: (policy: PolicyWithVersions) => void) =>
  vi.waitFor(async () => check(await read()), { timeout: 30_000, interval: 50 });
const countedOf = ({ versions }: PolicyWithVersions) =>
  versions[0]!.found?.look.bestArm?.arms.reduce((sum, { counted, missing }) => sum + counted + missing, 0) ?? 0;

/** Draws rewards of 0 and 1 with the mean of a variant. */
const drawn = (means: Record<string, number>) => (variant: string) => Number(random() < means[variant]!);

const answer = (count: number, rated: Rated, more: { version?: number; secondsAgo?: number } = {}) =>
  recordAnswers(file.current.services, owner(), 'bot', { count, rated, ...more });

test('moves the shares of a best-arm policy to the better arm in versions of its own, and shows the winner', async () => {
  await policies().create(owner(), 'bot', { plan: planOf(), reason: '' });
  expect((await latest()).plan.traffic).toMatchObject({ shares: { a: 0.5, b: 0.5 } });
  const means = drawn({ a: 0.4, b: 0.6 });
  await answer(1000, { liked: means });
  await watch();
  await until(({ versions }) => expect(versions[0]!.number).toBe(2));
  const [second, first] = (await read()).versions;
  expect(second).toMatchObject({ createdBy: null, experiment: 1, plan: { traffic: { kind: 'best_arm', least: 0.1 } } });
  expect(second!.reason).toMatch(/^Shares follow liked\.value: means a 0\.\d+ of \d+ units, b 0\.\d+ of \d+ units\./);
  expect(second!.verdict).toMatchObject({ reward: 'liked.value', since: 1 });
  const [before, after] = [bucketsIn(first!.buckets), bucketsIn(second!.buckets)];
  const counts = [before, after].map((buckets) => buckets.filter((variant) => variant === 1).length);
  expect(counts[1]).toBeGreaterThan(counts[0]!);
  expect(before.filter((variant, bucket) => variant !== after[bucket])).toHaveLength(counts[1]! - counts[0]!);
  await answer(1200, { liked: means });
  await until(({ versions }) => expect(versions[0]!.found?.look.bestArm?.winner).toBe('b'));
  await until((policy) => expect(countedOf(policy)).toBe(2200));
  const { look } = (await latest()).found!;
  const of = (name: string) => look.bestArm!.arms.find((arm) => arm.name === name)!;
  expect(of('b').lower).toBeLessThan(0.6);
  expect(of('b').upper).toBeGreaterThan(0.6);
  expect(of('a').evidenceAgainst).toBeGreaterThan(40);
  await until(({ versions }) => expect((versions[0]!.plan.traffic as any).shares.a).toBeCloseTo(0.1, 2));

  await watcher!.close();
  const found = (await latest()).found!.look.bestArm;
  const { db } = file.current.postgres;
  await db.deleteFrom('policy_looks').execute();
  await watch(1e9);
  await until(({ versions }) => expect(versions[0]!.found?.look.bestArm).toEqual(found));
});

test('changes shares no more often than hourly, and leaves them as they are after an undo', async () => {
  await policies().create(owner(), 'bot', { plan: planOf(), reason: '' });
  await answer(1200, { liked: drawn({ a: 0.3, b: 0.7 }) });
  await watch(3_600_000);
  await until((policy) => expect(countedOf(policy)).toBe(1200));
  await answer(1, { liked: () => 1 });
  await until((policy) => expect(countedOf(policy)).toBe(1201)); // in another pass
  expect((await latest()).number).toBe(1);
  await watch();
  await until(({ versions }) => expect(versions[0]!.number).toBe(2));
  await policies().undo(owner(), 'bot', { number: null, reason: 'not now' });
  await answer(1200, { liked: drawn({ a: 0.3, b: 0.7 }) });
  await until((policy) => expect(countedOf(policy)).toBe(2401));
  await answer(1, { liked: () => 1 });
  await until((policy) => expect(countedOf(policy)).toBe(2402));
  expect((await latest()).number).toBe(3);
  await policies().addVersion(owner(), 'bot', { plan: planOf(), reason: 'go on', expected: 3 });
  expect((await latest()).plan.traffic).toMatchObject({ shares: { a: 0.5, b: 0.5 } });
  await answer(1200, { liked: drawn({ a: 0.3, b: 0.7 }) });
  await until(({ versions }) => expect(versions[0]!.number).toBe(5));
});

test('changes shares an hour after a version was made, also if nothing has counted since', async () => {
  await policies().create(owner(), 'bot', { plan: planOf(), reason: '' });
  await answer(1200, { liked: drawn({ a: 0.3, b: 0.7 }) });
  const made = (await latest()).createdAt.getTime();
  await watch(Date.now() - made + 6000);
  await until((policy) => expect(countedOf(policy)).toBe(1200));
  await until(({ versions }) => expect(versions[0]!.number).toBe(2));
  expect((await latest()).createdAt.getTime() - made).toBeGreaterThanOrEqual(6000);
});

test('gives the winner all traffic if the plan says so', async () => {
  const traffic = { ...bestArm, afterWinner: 'all_to_winner' as const };
  await policies().create(owner(), 'bot', { plan: planOf({ traffic }), reason: '' });
  await answer(1500, { liked: drawn({ a: 0.2, b: 0.8 }) });
  await watch();
  await until(({ versions }) => expect(versions[0]!.plan.traffic).toEqual({ kind: 'split', shares: { b: 1 } }));
  expect((await latest()).reason).toMatch(/b is best\.$/);
});

test('announces no winner that would lose if missing feedback counted against it, and warns', async () => {
  await policies().create(owner(), 'bot', { plan: planOf(), reason: '' });
  const means = drawn({ a: 0.5, b: 0.45 });
  const missesBad = (variant: string) => {
    const value = means(variant);
    return variant === 'b' && value === 0 && random() < 0.8 ? null : value;
  };
  await answer(3000, { liked: missesBad });
  await watch(1e9);
  await until((policy) => expect(countedOf(policy)).toBe(3000));
  const { bestArm: found } = (await latest()).found!.look;
  expect(found).toMatchObject({ winner: null, warning: expect.stringMatching(/b has a mean of .* and misses \d+ of/) });
  expect(found!.arms[1]!.missing).toBeGreaterThan(400);
  expect(found!.arms[1]!.mean).toBeGreaterThan(found!.arms[0]!.mean! + 0.1);
  expect(found!.arms[1]!.lowest).toBeLessThan(found!.arms[1]!.mean! - 0.1);
});

test('returns the traffic of an arm that a guardrail shows to be worse, and not again by the same units', async () => {
  await policies().create(owner(), 'bot', { plan: planOf({ scorers: [liked, safe] }), reason: '' });
  await answer(800, { liked: drawn({ a: 0.4, b: 0.7 }), safe: drawn({ a: 0.9, b: 0.3 }) });
  await watch(1e9);
  await until(({ versions }) => expect(versions[0]!.number).toBe(2));
  const returned = await latest();
  expect(returned.plan.traffic).toMatchObject({ kind: 'best_arm', shares: { a: 1, b: 0 } });
  expect(returned.verdict).toMatchObject({ variant: 'b', reward: 'safe.value', alpha: 0.05 });
  await policies().undo(owner(), 'bot', { number: null, reason: 'it is fixed' });
  await answer(500, { liked: drawn({ a: 0.4, b: 0.7 }), safe: () => 1 });
  await until((policy) => expect(countedOf(policy)).toBe(1300));
  expect((await latest()).number).toBe(3);
  await answer(800, { liked: drawn({ a: 0.4, b: 0.7 }), safe: drawn({ a: 0.9, b: 0.3 }) });
  await until(({ versions }) => expect(versions[0]!.number).toBe(4));
});

test('shows with the latest version what units of earlier ones have found that close later', async () => {
  await policies().create(owner(), 'bot', { plan: planOf(), reason: '' });
  await watch();
  await answer(100, { liked: () => 1 }, { secondsAgo: windowSeconds - 10 });
  const plan = planOf({ traffic: { ...bestArm, least: 0.2 } });
  await policies().addVersion(owner(), 'bot', { plan, reason: '', expected: 1 });
  await until(({ versions }) => expect(versions[0]!.found?.look.bestArm).toMatchObject({ since: 1 }));
  expect(countedOf(await read())).toBe(0);
  await until((policy) => expect(countedOf(policy)).toBe(100));
});

test('counts the units of a version whose windows close after its end', async () => {
  const traffic: Traffic = { kind: 'split', shares: { a: 0.5, b: 0.5 } };
  await policies().create(owner(), 'bot', { plan: planOf({ traffic }), reason: '' });
  await watch();
  await answer(100, { liked: () => 1 }, { secondsAgo: windowSeconds - 4 });
  const other: Traffic = { kind: 'split', shares: { a: 0.2, b: 0.8 } };
  await policies().addVersion(owner(), 'bot', { plan: planOf({ traffic: other }), reason: '', expected: 1 });
  await answer(50, { liked: () => 0 }, { version: 1, secondsAgo: windowSeconds - 4 });
  await answer(30, { liked: () => 1 });
  const counted = ({ versions }: PolicyWithVersions, place: number) =>
    versions[place]!.found?.look.scorers.flatMap(({ variants }) => variants).reduce(
      (sum, each) => sum + each.counted,
      0,
    );
  await until((policy) => expect([counted(policy, 0), counted(policy, 1)]).toEqual([30, 150]));
});
