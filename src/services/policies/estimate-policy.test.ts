import { beforeAll, beforeEach, expect, test } from 'vitest';
import { contextForFile } from '../../api/testing/context.ts';
import type { PolicyPlan } from '../../domain/policies/plan.ts';
import { seededRandom } from '../../domain/statistics/testing/random.ts';
import type { Caller } from '../../identity/identity.ts';
import type { Owner } from '../owner.ts';
import type { Policies } from './policies.ts';
import { recordAnswers } from './testing/assigned-answers.ts';

const file = contextForFile();
let policies: Policies;
let caller: Caller;
let owner: Owner;
let projects = 0;

beforeAll(async () => {
  policies = file.current.services.policies;
  await file.current.identity.ensureOwner({ name: 'ent', apiKey: '' });
  caller = (await file.current.identity.findOwner())!;
});
beforeEach(async () => {
  const name = `ent/e${projects++}`;
  owner = { caller, project: { name, id: await file.current.identity.projectForWrite(caller, name) } };
});

function planOf(shares: Record<string, number>, more: Partial<PolicyPlan> = {}): PolicyPlan {
  const variants = ['a', 'b', 'c'].map((name) => ({ name, model: 'heddle/tiny', prompt: null }));
  const scorer = { reward: 'liked.value', low: 0, high: 1, windowSeconds: 60, missing: 'ignore' as const, harm: 0.1 };
  return { variants, incumbent: 'a', traffic: { kind: 'split', shares }, scorers: [scorer], alpha: 0.05, ...more };
}

const random = seededRandom(7);
const means: Record<string, number> = { a: 0.3, b: 0.8, c: 0.5 };
const liked = (variant: string) => (random() < 0.9 ? Number(random() < means[variant]!) : null);
const answer = (count: number) => recordAnswers(file.current.services, owner, 'bot', { count, rated: { liked } });
const estimate = (shares: Record<string, number>, reward = 'liked.value') =>
  policies.estimate(owner, 'bot', { shares, reward });
/** Calls can be read some seconds after they were written. */
const estimateOf = (count: number, shares: Record<string, number>) =>
  expect
    .poll(async () => await estimate(shares).then(({ units, missing }) => units + missing), {
      timeout: 20_000,
      interval: 200,
    })
    .toBe(count)
    .then(() => estimate(shares));

test('estimates the mean that other shares would have had, from versions with other shares', async () => {
  await policies.create(owner, 'bot', { plan: planOf({ a: 0.7, b: 0.3 }), reason: '' });
  await answer(1500);
  const plan = planOf({ a: 0.4, b: 0.6 });
  await policies.addVersion(owner, 'bot', { plan, reason: '', expected: 1 });
  await answer(1500);
  const { versions, units, judgement } = await estimateOf(3000, { a: 0.2, b: 0.8 });
  expect([versions, units > 2500 && units < 2900]).toEqual([[1, 2], true]);
  if (judgement.kind !== 'estimated') throw new Error(judgement.message);
  for (const { mean, lower, upper } of [judgement.ips, judgement.selfNormalized, judgement.doublyRobust]) {
    // Units are drawn anew each time: this is twice the interval of 95 %.
    expect(Math.abs(mean - 0.7)).toBeLessThan(upper - lower);
    expect(upper - lower).toBeLessThan(0.1);
  }
});

test('refuses what the units say too little about, with the reason', async () => {
  await policies.create(owner, 'bot', { plan: planOf({ a: 0.99, b: 0.01 }), reason: '' });
  expect((await estimate({ a: 1 })).judgement).toMatchObject({ kind: 'refused', reason: 'no-units' });
  await answer(800);
  expect((await estimateOf(800, { b: 1 })).judgement).toMatchObject({ reason: 'small-effective-size' });
  expect((await estimate({ a: 0.5, c: 0.5 })).judgement).toMatchObject({
    reason: 'no-support',
    message: expect.stringMatching(/^c has a probability above 0/),
  });
  expect((await estimate({ a: 1 })).judgement.kind).toBe('estimated');
});

test('leaves out versions in which a wanted variant had no traffic', async () => {
  await policies.create(owner, 'bot', { plan: planOf({ a: 0.5, b: 0.5 }), reason: '' });
  await answer(300);
  const plan = planOf({ a: 0.5, b: 0.2, c: 0.3 });
  await policies.addVersion(owner, 'bot', { plan, reason: '', expected: 1 });
  await answer(1000);
  const { versions, judgement } = await estimateOf(1000, { a: 0.5, c: 0.5 });
  expect([versions, judgement.kind]).toEqual([[2], 'estimated']);
});

test.each([
  ['a variant that does not exist', { z: 1 }, 'liked.value', /There is no variant z/],
  ['shares that do not add up to 1', { a: 0.5 }, 'liked.value', /add up to 1/],
  ['a reward that is not a scorer of the policy', { a: 1 }, 'other', /no scorer other\. Its scorers: liked\.value/],
])('rejects %s', async (_, shares, reward, message) => {
  await policies.create(owner, 'bot', { plan: planOf({ a: 0.5, b: 0.5 }), reason: '' });
  await expect(estimate(shares as Record<string, number>, reward)).rejects.toThrow(message);
});
