import { describe, expect, test } from 'vitest';
import type { TrainingRow } from '../row.ts';
import { advantagesOf, isTrainable } from './advantages.ts';
import { balanceRows, trajectoryWeight } from './balance.ts';
import { precalculate, withReference } from './known-logprobs.ts';
import { packGroups, type TokenizedResult } from './pack.ts';

describe('advantages', () => {
  test('are rewards above their mean, in standard deviations of the population unless scale_rewards is off [training 75]', () => {
    expect(advantagesOf([1, 0, 0, 1], false)).toEqual([0.5, -0.5, -0.5, 0.5]);
    expect(advantagesOf([1, 0, 0, 1])[0]).toBeCloseTo(1, 5);
    expect(advantagesOf([3, 1, 2])[0]).toBeCloseTo(1 / Math.sqrt(2 / 3), 5);
  });

  test('are 0 if all rewards are equal, or there is only one', () => {
    expect(advantagesOf([0.1, 0.1, 0.1])).toEqual([0, 0, 0]);
    expect(advantagesOf([7])).toEqual([0]);
    expect([isTrainable([0.1, 0.1]), isTrainable([7]), isTrainable([0, 1])]).toEqual([false, false, true]);
  });
});

/** Keeps the order. */
const unchanged = () => 0.999999;

function result(tokens: number[], learnedFrom: number, values: Partial<TokenizedResult> = {}): TokenizedResult {
  return {
    tokens: Int32Array.from(tokens),
    mask: Uint8Array.from(tokens, (_, i) => Number(i >= learnedFrom)),
    logprobs: Float32Array.from(tokens, (_, i) => (i >= learnedFrom ? -i : Number.NaN)),
    advantage: 1,
    weight: 0.5,
    ...values,
  };
}

describe('packing', () => {
  test('stores the shared start of a group once, up to the token before the first learned one', () => {
    const group = [result([1, 2, 3, 4, 5], 3), result([1, 2, 3, 4, 6, 7], 3, { advantage: -1 })];
    const { rows, resultsOfRow } = packGroups([group], 100, unchanged);
    expect(rows).toHaveLength(1);
    expect(resultsOfRow).toEqual([2]);
    const [row] = rows as [TrainingRow];
    expect([...row.tokens]).toEqual([1, 2, 3, 4, 5, 3, 4, 6, 7]);
    expect([...row.positions]).toEqual([0, 1, 2, 3, 4, 2, 3, 4, 5]);
    expect([...row.groups]).toEqual([0, 0, 1, 1, 1, 2, 2, 2, 2]);
    expect([...row.parents]).toEqual(new Array(9).fill(0));
    expect([...row.targets.tokens]).toEqual([4, 5, 4, 6, 7]);
    expect([...row.targets.places]).toEqual([2, 3, 5, 6, 7]);
    expect([...row.targets.results]).toEqual([1, 1, 2, 2, 2]);
    expect([...row.targets.advantages!]).toEqual([1, 1, -1, -1, -1]);
    expect([...row.targets.oldLogprobs!]).toEqual([-3, -4, -3, -4, -5]);
  });

  test('starts a new row with the prompt if a result does not fit', () => {
    const group = [result([1, 2, 3, 4], 3), result([1, 2, 3, 5], 3), result([1, 2, 3, 6], 3)];
    const { rows, resultsOfRow } = packGroups([group], 6, unchanged);
    expect(rows.map(({ tokens }) => [...tokens])).toEqual([
      [1, 2, 3, 4, 3, 5],
      [1, 2, 3, 6],
    ]);
    expect(resultsOfRow).toEqual([2, 1]);
  });

  test('separates different prompts and drops sequences that are too long or untrained', () => {
    const groups = [
      [result([1, 2, 3], 2)],
      [result([9, 8, 7, 6, 5, 4, 3, 2], 2)],
      [result([1, 2, 3], 9), result([4, 4, 3], 2)],
    ];
    const packed = packGroups(groups, 7, unchanged);
    expect(packed).toMatchObject({ tooLong: 1, resultsOfRow: [2] });
    expect([...packed.rows[0]!.tokens]).toEqual([1, 2, 3, 4, 4, 3]);
    expect(new Set(packed.rows[0]!.parents).size).toBe(2);
  });

  test('shuffles results and rows with the given random numbers', () => {
    const groups = [1, 2, 3, 4, 5].map((id) => [result([id, 6, 7], 2), result([id, 6, 8], 2)]);
    const packWith = (seed: number) => {
      let state = seed;
      const random = () => {
        state = (state * 16807) % 2147483647;
        return state / 2147483647;
      };
      return packGroups(groups, 6, random).rows.map(({ tokens }) => [...tokens]);
    };
    expect(packWith(5)).toEqual(packWith(5));
    expect(packWith(5)).not.toEqual(packWith(6));
    expect(packWith(5).flat().sort()).toEqual(packWith(6).flat().sort());
  });
});

describe('balance', () => {
  const rows = packGroups(
    [
      [
        result([1, 2, 3, 4], 2, { advantage: 2, weight: trajectoryWeight(2) }),
        result([1, 2, 3, 3, 3, 5], 2, { advantage: -1, weight: trajectoryWeight(4) }),
      ],
    ],
    100,
    unchanged,
  ).rows;
  const targetsOf = (balanced: TrainingRow[]) => balanced.flatMap(({ targets }) => [...targets.advantages!]);

  test('makes the mean weight 1 and the weighted mean size of advantages 1, with equal totals of short and long trajectories [training 77]', () => {
    const [{ targets }] = balanceRows(rows) as [TrainingRow];
    expect(targets.weights!.reduce((sum, each) => sum + each, 0) / 6).toBeCloseTo(1, 6);
    const sizes = targets.advantages!.map((each, i) => Math.abs(each) * targets.weights![i]!);
    expect(sizes.reduce((sum, each) => sum + each, 0) / 6).toBeCloseTo(1, 6);
    expect(targets.weights![0]! / targets.weights![5]!).toBeCloseTo(2, 5);
    expect(targets.advantages![0]! / targets.advantages![5]!).toBeCloseTo(-2, 5);
  });

  test('advantage_balance makes negative advantages smaller above 0, positive ones below 0 [training 78]', () => {
    const ratio = (balance: number) => {
      const advantages = targetsOf(balanceRows(rows, balance));
      return advantages[0]! / advantages[5]!;
    };
    expect(ratio(0.5)).toBeCloseTo(-4, 5);
    expect(ratio(-0.25)).toBeCloseTo(-1.5, 5);
    expect(
      targetsOf(balanceRows(rows, 1))
        .slice(2)
        .every((each) => each === 0),
    ).toBe(true);
  });

  test('keeps advantages at 0 if there is nothing to learn from', () => {
    const none = rows.map((row) => ({
      ...row,
      targets: { ...row.targets, advantages: row.targets.advantages!.map(() => 0) },
    }));
    expect(targetsOf(balanceRows(none))).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('logprobs computed before a step', () => {
  const [row] = packGroups([[result([1, 2, 3, 4, 5], 2)]], 9, unchanged).rows as [TrainingRow];
  row.targets.oldLogprobs![1] = Number.NaN;
  const scores = [
    { logprobs: Float32Array.of(-1, -3.5, -5), entropies: new Float32Array(3), hits: new Float32Array(3) },
  ];

  test('precalculate_logprobs replaces those of the sampler, and weighs by the truncated ratio of both [training 85]', () => {
    const [{ targets }] = precalculate([row], scores) as [TrainingRow];
    expect([...targets.oldLogprobs!]).toEqual([-1, -3.5, -5]);
    expect([...targets.weights!]).toEqual([0.5, 0.5, 0.5]);
    const [truncated] = precalculate([row], scores, 1.5) as [TrainingRow];
    expect([...truncated.targets.weights!].map((each) => each.toFixed(5))).toEqual([
      '0.75000',
      '0.50000',
      (0.5 * Math.exp(-1)).toFixed(5),
    ]);
  });

  test('the KL penalty compares with a reference', () => {
    expect(withReference([row], scores)[0]!.targets.referenceLogprobs).toEqual(scores[0]!.logprobs);
  });
});
