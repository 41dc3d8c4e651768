import { describe, expect, test } from 'vitest';
import { evaluateLoss, objectiveOf } from '../engine/training/objectives/losses.ts';
import type { RowScores } from '../engine/training/types.ts';
import { lossOf } from './losses.ts';
import { rowsOf } from './rows.ts';
import type { Datum, Tensor } from './training-request.ts';

const tensor = (values: number[]): Tensor => ({
  shape: [values.length],
  values: Float32Array.from(values),
  sparse: null,
});
const targets: Tensor = { shape: [5], values: Int32Array.of(3, 4, 5, 6, 7), sparse: null };
const logprobs = [-0.9, -1.1, -0.35, -1.9, -1.7];
const old = [-1, -1.5, -0.1, -2.5, -1.6];
const advantages = [0, 1.5, -0.75, 0.5, -1];
const weights = [0, 1, 2, 0.5, -1.5];
const mask = [0, 1, 1, 1, 1];

const clip = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);
const ratio = (i: number, of: number[]) => Math.exp(of[i]! - old[i]!);
const sequenceRatio = (of: number[]) => {
  const within = mask.flatMap((each, i) => (each ? [of[i]! - old[i]!] : []));
  return Math.exp(within.reduce((sum, each) => sum + each, 0) / within.length);
};

/** Each token's loss as the clients' documentation writes it. `frozen` has no gradient. */
const plain: Record<string, (i: number, of: number[], frozen: number[]) => number> = {
  cross_entropy: (i, of) => -weights[i]! * of[i]!,
  importance_sampling: (i, of) => -ratio(i, of) * advantages[i]!,
  ppo: (i, of) => -Math.min(ratio(i, of) * advantages[i]!, clip(ratio(i, of), 0.8, 1.2) * advantages[i]!),
  cispo: (i, of, frozen) => -clip(ratio(i, frozen), 0.8, 1.2) * of[i]! * advantages[i]!,
  dro: (i, of) => -(of[i]! * advantages[i]! - 0.5 * 0.05 * (of[i]! - old[i]!) ** 2),
  gspo: (i, of) => -Math.min(sequenceRatio(of) * advantages[i]!, clip(sequenceRatio(of), 0.8, 1.2) * advantages[i]!),
};

function datumFor(name: string): Datum {
  const policy = { logprobs: tensor(old), advantages: tensor(advantages) };
  const inputs = name === 'cross_entropy' ? { weights: tensor(weights) } : policy;
  const masked = name === 'gspo' ? { sequence_ratio_mask: tensor(mask) } : {};
  return {
    tokens: Int32Array.of(2, 3, 4, 5, 6),
    inputs: new Map(Object.entries({ target_tokens: targets, ...inputs, ...masked })),
  };
}

describe.each(Object.keys(plain))('%s', (name) => {
  const rows = rowsOf({ data: [datumFor(name)], lossName: name }, 100).map(({ row }) => row);
  const lossAt = (of: number[]) => {
    const scores: RowScores = {
      logprobs: Float32Array.from(of),
      entropies: new Float32Array(5),
      hits: new Float32Array(5),
    };
    return evaluateLoss(rows, [scores], objectiveOf(lossOf(name, new Map()), rows));
  };
  const total = (of: number[], frozen: number[]) =>
    logprobs.reduce((sum, _, i) => sum + plain[name]!(i, of, frozen), 0);

  test('is the sum over all tokens', () => {
    expect(lossAt(logprobs).loss).toBeCloseTo(total(logprobs, logprobs), 5);
  });

  test('has the gradient of its formula', () => {
    const step = 1e-5;
    const { gradients } = lossAt(logprobs);
    for (const i of logprobs.keys()) {
      const moved = (by: number) => logprobs.map((each, j) => (i === j ? each + by : each));
      const slope = (total(moved(step), logprobs) - total(moved(-step), logprobs)) / (2 * step);
      expect(gradients[i]).toBeCloseTo(slope, 4);
    }
  });
});

test.each([
  ['stable_reinforce', new Map(), 'loss_fn stable_reinforce is not supported'],
  ['custom', new Map(), 'loss_fn custom is not supported'],
  ['constructor', new Map(), 'loss_fn constructor is not supported'],
  [
    'cross_entropy',
    new Map([['beta', 1]]),
    'loss_fn_config.beta is not an option of cross_entropy. It has no options.',
  ],
  ['ppo', new Map([['clip_low_threshold', 'a']]), 'loss_fn_config.clip_low_threshold must be a finite number'],
  ['ppo', new Map([['clip_low_threshold', 2]]), 'clip_low_threshold is 2, above clip_high_threshold, 1.2'],
  ['dro', new Map([['beta', Number.NaN]]), 'loss_fn_config.beta must be a finite number'],
] as [string, Map<string, number | string>, string][])('refuses %s with %s', (name, config, message) => {
  expect(() => lossOf(name, config)).toThrow(message);
});
