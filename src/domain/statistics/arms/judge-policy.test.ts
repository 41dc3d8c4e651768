import { expect, test } from 'vitest';
import { seededRandom } from '../testing/random.ts';
import { judgePolicy as judge, type LoggedUnit } from './judge-policy.ts';

const judgePolicy = (units: LoggedUnit[]) => judge(units, ['now', 'next']);

/** The mean reward of each variant, by stratum. */
const means: Record<string, number[]> = { short: [0.9, 0.4], long: [0.2, 0.6] };

test('estimates the mean that a policy would have, in each of three ways', () => {
  const units = drawUnits(seededRandom(1), 20_000, [0.7, 0.3], [0.2, 0.8]);
  const found = judgePolicy(units);
  if (found.kind !== 'estimated') throw new Error(found.message);
  const truth = 0.2 * 0.55 + 0.8 * 0.5;
  for (const { mean, lower, upper } of [found.ips, found.selfNormalized, found.doublyRobust]) {
    expect(mean).toBeCloseTo(truth, 1);
    expect(lower).toBeLessThan(truth);
    expect(upper).toBeGreaterThan(truth);
  }
  const width = ({ lower, upper }: { lower: number; upper: number }) => upper - lower;
  expect(width(found.doublyRobust)).toBeLessThan(width(found.selfNormalized));
  expect(width(found.selfNormalized)).toBeLessThan(width(found.ips));
});

test('has the mean and the interval of Student of the policy that was logged', () => {
  const units = drawUnits(seededRandom(2), 400, [0.5, 0.5], [0.5, 0.5]);
  const found = judgePolicy(units);
  if (found.kind !== 'estimated') throw new Error(found.message);
  const mean = units.reduce((sum, { reward }) => sum + reward, 0) / 400;
  expect(found.effectiveSize).toBeCloseTo(400, 9);
  expect(found.ips.mean).toBeCloseTo(mean, 12);
  expect(found.selfNormalized.mean).toBeCloseTo(mean, 12);
  expect(found.ips.upper - mean).toBeCloseTo(1.9659 * Math.sqrt((mean * (1 - mean)) / 400), 4);
});

test('does not predict a unit from its own reward', () => {
  // Each stratum has one unit, so a prediction that used its own reward would be nearer to it.
  const units = Array.from({ length: 200 }, (_, i): LoggedUnit => {
    return { action: 0, reward: i % 2, logged: [1], judged: [1], stratum: `${i}` };
  });
  const found = judgePolicy(units);
  if (found.kind !== 'estimated') throw new Error(found.message);
  expect(found.doublyRobust.mean).toBeCloseTo(0.5, 9);
  expect(found.doublyRobust.upper - found.doublyRobust.lower).toBeCloseTo(found.ips.upper - found.ips.lower, 1);
});

test('refuses a variant that units could not be assigned', () => {
  const units = drawUnits(seededRandom(3), 1000, [1, 0], [0.9, 0.1]);
  expect(judgePolicy(units)).toMatchObject({
    ...{ kind: 'refused', reason: 'no-support' },
    message: 'next has a probability above 0 under the policy, but some units could not be assigned it.',
  });
  const never = units.map((unit) => ({ ...unit, judged: [1, 0] }));
  expect(judgePolicy(never).kind).toBe('estimated');
});

test('refuses too few units of the policy, also where no heavy one was drawn', () => {
  expect(judgePolicy(drawUnits(seededRandom(4), 99, [0.5, 0.5], [0.5, 0.5]))).toMatchObject({
    reason: 'small-effective-size',
    message: 'The units are worth 99 units of the policy; at least 100 are needed.',
  });
  const unit = { action: 0, reward: 1, logged: [0.9999, 0.0001], judged: [0.8, 0.2], stratum: '' };
  const lucky = judgePolicy(Array.from({ length: 1000 }, () => unit));
  expect(lucky).toMatchObject({ kind: 'refused', reason: 'small-effective-size' });
});

test('refuses a unit that has most of the weight', () => {
  const even: LoggedUnit = { action: 0, reward: 1, logged: [0.5, 0.5], judged: [0.5, 0.5], stratum: '' };
  const heavy: LoggedUnit = { ...even, logged: [0.02, 0.98], judged: [0.9, 0.1] };
  const found = judgePolicy([...Array.from({ length: 500 }, () => even), heavy]);
  expect(found).toMatchObject({ kind: 'refused', reason: 'dominant-weight' });
});

test('rejects no units', () => {
  expect(() => judgePolicy([])).toThrow('at least one');
});

function drawUnits(random: () => number, count: number, logged: number[], judged: number[]): LoggedUnit[] {
  return Array.from({ length: count }, () => {
    const stratum = random() < 0.5 ? 'short' : 'long';
    const action = random() < logged[0]! ? 0 : 1;
    return { action, reward: random() < means[stratum]![action]! ? 1 : 0, logged, judged, stratum };
  });
}
