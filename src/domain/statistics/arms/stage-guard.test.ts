import { expect, test } from 'vitest';
import { seededRandom } from '../testing/random.ts';
import { StageGuard } from './stage-guard.ts';

test('looks before anything was added', () => {
  expect(new StageGuard({ alpha: 0.05, harm: 0.1 }).look()).toEqual({
    breached: false,
    evidence: 1,
    candidate: { count: 0, mean: null },
    incumbent: { count: 0, mean: null },
  });
});

test('is breached by an arm that is 10 points worse at a share of 10 %, and stays so', () => {
  const random = seededRandom(1);
  const guard = new StageGuard({ alpha: 0.05, harm: 0.1 });
  while (guard.look().candidate.count < 1000) addOne(guard, random, 0.4);
  const { breached, evidence, candidate, incumbent } = guard.look();
  expect(breached).toBe(true);
  expect(evidence).toBeGreaterThan(20);
  expect(candidate.mean).toBeCloseTo(0.4, 1);
  expect(incumbent.mean).toBeCloseTo(0.5, 1);
  for (let i = 0; i < 2000; i++) addOne(guard, random, 0.9);
  expect(guard.look().breached).toBe(true);
});

test('is the same again from the same rewards in their order', () => {
  const guards = [1, 1].map((seed) => {
    const random = seededRandom(seed);
    const guard = new StageGuard({ alpha: 0.05, harm: 0.1 });
    for (let i = 0; i < 1234; i++) addOne(guard, random, 0.45);
    return guard.look();
  });
  expect(guards[0]).toEqual(guards[1]);
});

test('needs more evidence for a smaller alpha, and keeps it a number', () => {
  const looks = [0.05, 1e-60].map((alpha) => {
    const guard = new StageGuard({ alpha, harm: 0.1 });
    for (let i = 0; i < 300; i++) guard.add(i % 10 === 0 ? 'candidate' : 'incumbent', i % 10 === 0 ? 0 : 0.6);
    return guard.look();
  });
  expect(looks.map(({ breached }) => breached)).toEqual([true, false]);
  const certain = new StageGuard({ alpha: 0.05, harm: 0.5 });
  for (let i = 0; i < 100_000; i++) certain.add(i % 2 === 0 ? 'candidate' : 'incumbent', i % 2);
  expect(Number.isFinite(certain.look().evidence)).toBe(true);
});

function addOne(guard: StageGuard, random: () => number, candidateMean: number): void {
  const arm = random() < 0.1 ? 'candidate' : 'incumbent';
  guard.add(arm, random() < (arm === 'candidate' ? candidateMean : 0.5) ? 1 : 0);
}
