import { expect, test } from 'vitest';
import { Gate, type Verdict } from './gate.ts';
import type { GatePlan, Metric } from './plan.ts';
import { drawPair, mostOf, seededRandom } from './testing/random.ts';

const passes: Metric = { name: 'passes', measure: { kind: 'score', low: 0, high: 1 }, better: 'higher' };
const plan: GatePlan = {
  target: { ...passes, gain: 0.1 },
  guardrails: [],
  watched: [],
  alpha: 0.05,
  threads: 600,
  threadsMax: 600,
};
const guarded: GatePlan = { ...plan, guardrails: [{ ...passes, name: 'valid', margin: 0.1 }] };

test('promotes a better candidate, and says that nothing is missing', () => {
  const gate = new Gate(plan);
  expect(run(gate, seededRandom(1), { target: [0.4, 0.2] })).toEqual({ kind: 'promote' });
  const look = gate.look();
  expect(look.onTraffic.shown).toBe(true);
  expect(look.threadsNeeded).toBe(0);
  expect(look.threads).toBeLessThan(600);
});

test('rejects a candidate whose gain is too small to matter', () => {
  const verdict = run(new Gate(plan), seededRandom(2), { target: [0.2, 0.2] });
  expect(verdict).toEqual({ kind: 'reject', reasons: [{ kind: 'gain-too-small' }] });
});

test('promotes no better candidates in at most 5 % of runs, with a guardrail at its margin or without a gain', () => {
  const random = seededRandom(3);
  const runs = 400;
  const noGain = repeat(runs, () => run(new Gate(plan), random, { target: [0.25, 0.25] }));
  const atMargin = repeat(runs, () => run(new Gate(guarded), random, { target: [0.4, 0.2], guardrails: [0.1, 0.2] }));
  expect(noGain.filter(isPromotion).length).toBeLessThan(mostOf(runs));
  expect(atMargin.filter(isPromotion).length).toBeLessThan(mostOf(runs));
});

test('promotes most candidates that gain the smallest gain that matters, and rejects few', () => {
  const random = seededRandom(4);
  const verdicts = repeat(100, () => run(new Gate(guarded), random, { target: [0.3, 0.2], guardrails: [0.1, 0.1] }));
  expect(verdicts.filter(isPromotion).length).toBeGreaterThan(70);
  expect(verdicts.filter((each) => each.kind === 'reject').length).toBeLessThan(mostOf(100, 0.1));
});

test('rejects a candidate with a guardrail worse than its margin, and names it', () => {
  const verdict = run(new Gate(guarded), seededRandom(5), { target: [0.35, 0.1], guardrails: [0, 0.4] });
  expect(verdict).toEqual({ kind: 'reject', reasons: [{ kind: 'guardrail-worse', name: 'valid' }] });
});

test('waits with a promotion until a slice has shown its harm, and blocks for it', () => {
  const slice = { ...passes, name: 'German', harm: 0.3, threads: 150 };
  const random = seededRandom(6);
  const gate = new Gate({ ...plan, watched: [slice] });
  let verdict: Verdict | null = null;
  for (let i = 0; i < 600 && verdict === null; i++) {
    const watched = i % 4 === 3 ? drawPair(random, 0.1, 0.4) : null;
    verdict = gate.add({ target: watched ?? drawPair(random, 0.6, 0), guardrails: [], watched: [watched] });
  }
  expect(gate.look().onTraffic.shown).toBe(true);
  expect(verdict).toEqual({ kind: 'reject', reasons: [{ kind: 'watched-harm', name: 'German' }] });
});

test('says which slices are too small to show harm, and does not wait for them', () => {
  const slices = [
    { ...passes, name: 'large', harm: 0.3, threads: 300 },
    { ...passes, name: 'small', harm: 0.3, threads: 10 },
  ];
  const random = seededRandom(7);
  const gate = new Gate({ ...plan, watched: slices });
  let verdict: Verdict | null = null;
  for (let i = 0; i < 600 && verdict === null; i++) {
    const difference = drawPair(random, 0.5, 0.2);
    verdict = gate.add({ target: difference, guardrails: [], watched: [i % 2 ? difference : null, null] });
  }
  expect(verdict).toEqual({ kind: 'promote' });
  expect(gate.look().watched.map(({ state }) => state)).toEqual(['no-harm-shown', 'too-small']);
});

test('ends without enough evidence when the budget is used up, and says how much is missing', () => {
  const gate = new Gate({ ...plan, threadsMax: 20 });
  expect(run(gate, seededRandom(8), { target: [0.3, 0.2] })).toEqual({ kind: 'not-enough-evidence' });
  expect(gate.look().threads).toBe(20);
  expect(gate.look().threadsNeeded).toBeGreaterThan(100);
});

test('counts no threads after its verdict', () => {
  const gate = new Gate(plan);
  const verdict = run(gate, seededRandom(9), { target: [0.5, 0.1] });
  const { threads } = gate.look();
  for (let i = 0; i < 100; i++) {
    expect(gate.add({ target: -1, guardrails: [], watched: [] })).toEqual(verdict);
  }
  expect(gate.look().threads).toBe(threads);
});

test('shows that a candidate is better on the suite before it shows that for traffic', () => {
  const random = seededRandom(10);
  const gate = new Gate({ ...plan, threads: 100, threadsMax: 100 });
  for (let i = 0; i < 100; i++) gate.add({ target: drawPair(random, 0.2, 0.1), guardrails: [], watched: [] });
  expect(gate.look().onTraffic.shown).toBe(false);
  expect(gate.look().onSuite).toEqual({ shown: true, pValue: 0 });
});

type Rates = { target: [wins: number, losses: number]; guardrails?: [wins: number, losses: number] };

function run(gate: Gate, random: () => number, { target, guardrails }: Rates): Verdict {
  for (;;) {
    const verdict = gate.add({
      target: drawPair(random, ...target),
      guardrails: guardrails ? [drawPair(random, ...guardrails)] : [],
      watched: [],
    });
    if (verdict) return verdict;
  }
}

function repeat(runs: number, one: () => Verdict): Verdict[] {
  return Array.from({ length: runs }, one);
}

function isPromotion({ kind }: Verdict): boolean {
  return kind === 'promote';
}
