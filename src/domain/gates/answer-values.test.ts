import { describe, expect, test } from 'vitest';
import { type AnsweredRow, differencesOf, type GateAnswer } from './answer-values.ts';
import type { StoredPlan } from './stored-plan.ts';

const score = { kind: 'score', low: 0, high: 1 } as const;
const planOf = (source: string, more: Partial<StoredPlan> = {}): StoredPlan => ({
  target: { name: source, source, measure: score, better: 'higher', gain: 0.1 },
  ...{ guardrails: [], watched: [], alpha: 0.05, threads: 10, threadsMax: 10 },
  ...{ repeats: 1, seed: 's', rowsMax: null, trainedOn: [] },
  ...more,
});
const answer = (scores: Record<string, unknown>, more: Partial<GateAnswer> = {}): GateAnswer => ({
  ...{ scores, latencySeconds: 1, outputTokens: 10, cost: 0.01 },
  ...more,
});
const rowOf = (candidate: GateAnswer | null, incumbent: GateAnswer | null, row = {}): AnsweredRow => ({
  ...{ row, candidate: [candidate], incumbent: [incumbent] },
});
const targetOf = (source: string, rows: AnsweredRow[]) => differencesOf(planOf(source), rows).target;

describe('reads scores', () => {
  test.each<[string, Record<string, unknown>, string, number]>([
    ['true', { a: true }, 'a', 1],
    ['a number', { a: 0.25 }, 'a', 0.25],
    ['a member', { judge: { helpful: 0.5 } }, 'judge.helpful', 0.5],
    [
      'a member of a scorer with a dot in its name',
      { 'text_similarity:0.5': { passed: true } },
      'text_similarity:0.5.passed',
      1,
    ],
    ['a scorer whose name is like a path', { 'a.b': 0.5, a: { b: 1 } }, 'a.b', 0.5],
    ['a missing score as failed', {}, 'a', 0],
    ['null as failed', { a: null }, 'a', 0],
  ])('%s', (_what, scores, source, expected) => {
    expect(targetOf(source, [rowOf(answer(scores), answer({ [source]: 0 }))])).toBe(expected);
  });

  test.each([
    ['text', { a: 'good' }, /score a is not a number/],
    ['an object', { a: { x: 1, y: 2 } }, /members x, y/],
    ['infinity', { a: Number.POSITIVE_INFINITY }, /not a number/],
    ['a number outside of the bounds', { a: 2 }, /outside of the plan's bounds/],
  ])('but not %s', (_what, scores, message) => {
    expect(() => targetOf('a', [rowOf(answer(scores), answer({ a: 0 }))])).toThrow(message);
  });
});

test('averages repeats to rows, and rows to the thread', () => {
  const row = (candidate: number[], incumbent: number[]) => ({
    ...{ row: {}, candidate: candidate.map((a) => answer({ a })), incumbent: incumbent.map((a) => answer({ a })) },
  });
  expect(targetOf('a', [row([1, 0], [0, 0]), row([1, 1], [0, 1])])).toBeCloseTo(0.5, 12);
});

test('a failed answer has the score 0, and is above limits of latency', () => {
  const latency = {
    name: 'latency',
    source: 'latency',
    measure: { kind: 'share-above', limit: 2 },
    better: 'lower',
  } as const;
  const plan = planOf('a', { guardrails: [{ ...latency, margin: 0.1 }] });
  const found = differencesOf(plan, [rowOf(null, answer({ a: 1 }))]);
  expect(found).toEqual({ target: -1, guardrails: [-1], watched: [] });
});

test('a slice has the rows with its value, as text, and none is null', () => {
  const watch = (column: string, value: string) => ({
    ...{ name: 'w', source: 'a', measure: score, better: 'higher' as const, harm: 0.1, threads: 1 },
    slice: { column, value },
  });
  const plan = planOf('a', { watched: [watch('n', '1'), watch('n', '2'), watch('constructor', 'x')] });
  const rows = [
    rowOf(answer({ a: 0 }), answer({ a: 1 }), { n: 1 }),
    rowOf(answer({ a: 1 }), answer({ a: 1 }), { n: 3 }),
  ];
  expect(differencesOf(plan, rows).watched).toEqual([-1, null, null]);
});

test('costs cannot be compared without prices', () => {
  const capped = {
    name: 'cost',
    source: 'cost',
    measure: { kind: 'capped', cap: 1 },
    better: 'lower',
    margin: 0.1,
  } as const;
  const plan = planOf('a', { guardrails: [capped] });
  const row = rowOf(answer({ a: 1 }, { cost: null }), answer({ a: 1 }));
  expect(() => differencesOf(plan, [row])).toThrow(/price of one of the models is unknown/);
});
