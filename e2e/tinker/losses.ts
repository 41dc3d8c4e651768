import { afterAll, beforeAll, expect, test } from 'vitest';
import { packGroups, type TokenizedResult } from '../../src/engine/training/batches/pack.ts';
import type { PolicyLossConfig } from '../../src/engine/training/objectives/policy-options.ts';
import { rowOfSequence, type TrainingRow } from '../../src/engine/training/row.ts';
import type { Loss } from '../../src/engine/training/types.ts';
import { type BothTrainers, compareStep, openBoth, plain } from './both-trainers.ts';

/** Compares each loss on SkyRL with the same on this machine. */
export function testLosses(url: () => string): void {
  let both: BothTrainers;

  beforeAll(async () => {
    both = await openBoth(url());
    // Weights that have an effect, so that both halves of each have a gradient.
    for (let i = 0; i < 2; i++) await compareStep(both, weightedRows(), { name: 'cross_entropy' });
  }, 240_000);

  afterAll(() => both?.close());

  async function expectEqual(rows: TrainingRow[], loss: Loss) {
    const compared = await compareStep(both, rows, loss);
    const { remote, local } = compared;
    expect(Math.abs(remote.loss - local.loss)).toBeLessThan(1e-4);
    expect(compared.cosine).toBeGreaterThan(0.999);
    expect(compared.ratio).toBeCloseTo(1, 2);
    expect(remote.gradientNorm! / local.gradientNorm!).toBeCloseTo(1, 2);
    return compared;
  }

  test('says what the server does otherwise', () => {
    expect(both.remote.warnings.map((each) => each.split(':')[0])).toEqual(['grad_clip_norm']);
  });

  test('makes the step of supervised training, with weights of its own for each token', async () => {
    const { remote, local } = await expectEqual(weightedRows(), { name: 'cross_entropy' });
    expect(remote.metrics).toMatchObject({ tokens: local.metrics.tokens, entropy: null, accuracy: null });
    expect(remote.metrics.surprisal).toBeCloseTo(local.metrics.surprisal, 4);
  });

  const policies: [string, Loss['name'], PolicyLossConfig][] = [
    ['CISPO with its defaults', 'cispo', {}],
    ['PPO', 'ppo', { epsilon: 0.1 }],
    ['importance sampling', 'importance_sampling', {}],
    ['ratios of whole sequences', 'cispo', { importance_sampling_level: 'sequence', epsilon: 0.2, epsilon_high: 0.2 }],
    [
      'PPO with average ratios, masks and the K2 penalty',
      'ppo',
      {
        ...{ importance_sampling_level: 'average', mask_prob_ratio: true, epsilon: 0.3, kimi_k2_tau: 0.2 },
      },
    ],
    [
      'truncated ratios and a largest ratio',
      'cispo',
      {
        ...{ truncated_importance_sampling: 1.05, max_negative_advantage_importance_sampling_weight: 1.1 },
      },
    ],
    ['a KL penalty', 'cispo', { kl_penalty_coef: 0.5 }],
  ];

  test.each(policies)('makes the step of %s', async (_, name, config) => {
    const { remote, local } = await expectEqual(await sampledRows(both), { name, config } as Loss);
    for (const [metric, value] of Object.entries(local.metrics.sampler!)) {
      expect(remote.metrics.sampler![metric as 'kl'], metric).toBeCloseTo(value, 3);
    }
    expect(remote.metrics.klPolicyReference ?? 0).toBeCloseTo(local.metrics.klPolicyReference ?? 0, 4);
  });

  test('makes the step of a policy loss whose sampler is partly unknown', async () => {
    const rows = (await sampledRows(both)).map((row) => ({
      ...row,
      targets: { ...row.targets, oldLogprobs: row.targets.oldLogprobs!.map((each, i) => (i % 3 ? each : Number.NaN)) },
    }));
    await expectEqual(rows, { name: 'ppo', config: {} });
  });

  test('makes the step of direct preference optimization', async () => {
    const rows = await withReferences(both, preferenceRows());
    const { remote, local } = await expectEqual(rows, { name: 'dpo', beta: 0.3 });
    for (const [name, value] of Object.entries(local.metrics.preference!)) {
      expect(remote.metrics.preference![name as 'accuracy'], name).toBeCloseTo(value, 4);
    }
  });

  test('sums the gradients of several requests', async () => {
    const { remote, local } = both;
    const rows = await sampledRows(both);
    await local.loadState({ adapter: await remote.saveWeightsForSampler(), optimizer: null });
    const norms = [];
    for (const model of [remote, local]) {
      for (const row of rows) await model.forwardBackward([row], { name: 'cispo', config: { kl_penalty_coef: 0.5 } });
      norms.push((await model.optimStep(plain)).gradientNorm!);
    }
    expect(norms[0]! / norms[1]!).toBeCloseTo(1, 2);
  });

  test('continues from a state with the optimizer, and from its weights alone', async () => {
    const adam = { ...plain, learningRate: 1e-3, beta1: 0.9, beta2: 0.99, epsilon: 1e-8 };
    const step = async (model: typeof both.remote) => {
      await model.forwardBackward(weightedRows(), { name: 'cross_entropy' });
      return model.optimStep(adam);
    };
    await step(both.remote);
    const state = await both.remote.saveState();
    await step(both.remote);
    const expected = await both.remote.forward(weightedRows(), 'trained');
    await both.remote.loadState(state);
    await step(both.remote);
    const continued = await both.remote.forward(weightedRows(), 'trained');
    expect(largest(expected[0]!.logprobs, continued[0]!.logprobs)).toBeLessThan(1e-5);
    await both.remote.loadState({ ...state, remote: { ...state.remote!, continuesOptimizer: false } });
    await step(both.remote);
    const anew = await both.remote.forward(weightedRows(), 'trained');
    expect(largest(expected[0]!.logprobs, anew[0]!.logprobs)).toBeGreaterThan(1e-3);
    await both.local.loadState({ adapter: state.adapter, optimizer: null });
    const [here] = await both.local.forward(weightedRows(), 'trained');
    const [there] = await both.remote.forward(weightedRows(), state);
    expect(largest(here!.logprobs, there!.logprobs)).toBeLessThan(1e-4);
    const bases = [await both.local.forward(weightedRows(), 'base'), await both.remote.forward(weightedRows(), 'base')];
    expect(largest(bases[0]![0]!.logprobs, bases[1]![0]!.logprobs)).toBeLessThan(1e-4);
  });
}

function largest(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

/** Tokens that depend on the seed alone. */
function tokens(length: number, seed: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => 5 + ((seed * 131 + i * i * 17 + i * 7) % 1000));
}

function weightedRows(): TrainingRow[] {
  return [20, 9, 31].map((length, r) =>
    rowOfSequence(tokens(length, r), (index) => index > 3, {
      weights: Float32Array.from({ length: length - 4 }, (_, i) => 0.25 + ((i + r) % 4)),
    }),
  );
}

function resultOf(prompt: Int32Array, length: number, seed: number, advantage: number): TokenizedResult {
  const all = Int32Array.from([...prompt, ...tokens(length, seed)]);
  const mask = Uint8Array.from(all, (_, i) => Number(i >= prompt.length));
  return { tokens: all, mask, logprobs: new Float32Array(all.length).fill(Number.NaN), advantage, weight: 1 / length };
}

/** Two groups with shared prompts, whose sampler was a little off. */
async function sampledRows(models: BothTrainers): Promise<TrainingRow[]> {
  const groups = [0, 1].map((group) =>
    [6, 9, 4].map((length, i) => resultOf(tokens(7, 50 + group), length, 10 * group + i, [1.2, -0.7, 0.4][i]!)),
  );
  const { rows } = packGroups(groups, 40, () => 0.5);
  const scores = await models.remote.forward(rows, 'trained');
  const noisy = rows.map((row, r) => ({
    ...row,
    targets: { ...row.targets, oldLogprobs: scores[r]!.logprobs.map((each, i) => each + 0.25 * Math.sin(i * 3 + r)) },
  }));
  return withReferences(models, noisy);
}

function preferenceRows(): TrainingRow[] {
  return [0, 1].map((pair) => {
    const prompt = tokens(6, 70 + pair);
    const answers = [resultOf(prompt, 5, 80 + pair, 1), resultOf(prompt, 8, 90 + pair, -1)];
    return packGroups([answers.map((each) => ({ ...each, weight: 1 }))], Number.POSITIVE_INFINITY, () => 0).rows[0]!;
  });
}

async function withReferences({ remote }: BothTrainers, rows: TrainingRow[]): Promise<TrainingRow[]> {
  const scores = await remote.forward(rows, 'base');
  return rows.map((row, r) => ({ ...row, targets: { ...row.targets, referenceLogprobs: scores[r]!.logprobs } }));
}
