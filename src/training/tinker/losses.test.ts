import { describe, expect, test } from 'vitest';
import { packGroups, type TokenizedResult } from '../../engine/training/batches/pack.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import type { Loss } from '../../engine/training/types.ts';
import type { Reduction } from './losses/reduction.ts';
import { ToyModel } from './testing/toy-model.ts';
import { afterStep, openToy, plain, toyScores, toySpec, weightsApart } from './testing/toy-trainer.ts';

const reductions: Reduction[] = [
  { kind: 'sum', over: 'step' },
  ...(['meanOfMeans', 'meanOfSums', 'meanOfTokens'] as const).flatMap((kind) =>
    (['step', 'request'] as const).map((over) => ({ kind, over })),
  ),
];

const losses: [string, Loss][] = [
  ['supervised', { name: 'cross_entropy' }],
  ['CISPO', { name: 'cispo', config: {} }],
  ['PPO', { name: 'ppo', config: { epsilon: 0.1 } }],
  ['importance sampling', { name: 'importance_sampling' }],
  [
    'sequence ratios with a KL penalty',
    { name: 'ppo', config: { importance_sampling_level: 'sequence', kl_penalty_coef: 0.3 } },
  ],
  ['preferences', { name: 'dpo', beta: 0.4 }],
];

describe.each(reductions)('a server that computes $kind over a $over', (reduction) => {
  test('makes the steps of all losses', async () => {
    const { server, trainer } = await openToy({ reduction });
    const model = await trainer.createModel(toySpec);
    for (const [name, loss] of losses) {
      const rows = name === 'supervised' ? weightedRows() : name === 'preferences' ? pairs() : policyRows();
      const before = server.models().at(-1)!;
      const expected = afterStep(before, rows, loss);
      for (const [token, row] of before.rows) if (!expected.rows.has(token)) expected.rows.set(token, row);
      await model.forwardBackward(rows, loss);
      await model.optimStep(plain);
      expect(weightsApart(server.models().at(-1)!, expected), name).toBeLessThan(2e-6);
      expect(weightsApart(expected, new ToyModel()), name).toBeGreaterThan(1e-3);
    }
    await model.close();
  });
});

test('a server without further losses makes the same steps', async () => {
  const { server, trainer } = await openToy({ losses: ['cross_entropy', 'importance_sampling'] });
  const model = await trainer.createModel(toySpec);
  for (const loss of [{ name: 'cross_entropy' }, { name: 'cispo', config: {} }] as Loss[]) {
    const rows = loss.name === 'cross_entropy' ? weightedRows() : policyRows();
    const before = server.models().at(-1)!;
    const expected = afterStep(before, rows, loss);
    for (const [token, row] of before.rows) if (!expected.rows.has(token)) expected.rows.set(token, row);
    await model.forwardBackward(rows, loss);
    await model.optimStep(plain);
    expect(weightsApart(server.models().at(-1)!, expected), loss.name).toBeLessThan(2e-6);
  }
});

test('sends a loss of its own to a server that has it, without computing logprobs first', async () => {
  const { server, trainer } = await openToy();
  const model = await trainer.createModel(toySpec);
  server.received.length = 0;
  await model.forwardBackward(policyRows(), { name: 'ppo', config: { epsilon: 0.1 } });
  await model.optimStep(plain);
  const passes = server.received.filter(({ path }) => path === 'forward_backward');
  expect(passes.map(({ body }) => [body.loss, body.isForwardOnly])).toEqual([['ppo', false]]);
  expect(passes[0]!.body.config).toEqual({ clip_low_threshold: 0.9, clip_high_threshold: 1.1 });
});

test('sends the step before the gradient has been computed', async () => {
  const { server, trainer } = await openToy({ patience: 2 });
  const model = await trainer.createModel(toySpec);
  await model.forwardBackward(pairs(), { name: 'dpo', beta: 0.4 });
  server.received.length = 0;
  await model.optimStep(plain);
  const paths = server.received.map(({ path }) => path).filter((path) => path !== 'retrieve_future');
  expect(paths).toEqual(['forward_backward', 'optim_step']);
  const step = server.received.findIndex(({ path }) => path === 'optim_step');
  expect(server.received.slice(0, step).filter(({ path }) => path === 'retrieve_future').length).toBeLessThan(3);
});

test('reports losses and differences from the sampler, and no entropy', async () => {
  const { trainer } = await openToy();
  const model = await trainer.createModel(toySpec);
  const rows = policyRows();
  const { metrics, rows: scores } = await model.forwardBackward(rows, { name: 'cispo', config: {} });
  expect(metrics).toMatchObject({ entropy: null, accuracy: null, targets: 38, surprisal: expect.any(Number) });
  expect(metrics.sampler!.mismatch).toBeGreaterThan(0.05);
  const expected = toyScores(new ToyModel(), rows);
  expect(scores[0]!.logprobs.every((value, i) => Math.abs(value - expected[0]!.logprobs[i]!) < 1e-5)).toBe(true);
});

function tokens(length: number, seed: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => 5 + ((seed * 131 + i * i * 17 + i * 7) % 1000));
}

function weightedRows(): TrainingRow[] {
  return [14, 6, 21].map((length, r) =>
    rowOfSequence(tokens(length, r), (index) => index > 2, {
      weights: Float32Array.from({ length: length - 3 }, (_, i) => 0.25 + ((i + r) % 4)),
    }),
  );
}

function resultOf(prompt: Int32Array, length: number, seed: number, advantage: number): TokenizedResult {
  const all = Int32Array.from([...prompt, ...tokens(length, seed)]);
  const mask = Uint8Array.from(all, (_, i) => Number(i >= prompt.length));
  return { tokens: all, mask, logprobs: new Float32Array(all.length), advantage, weight: 1 / length };
}

/** Results that share prompts, sampled by weights that differ a little. */
function policyRows(): TrainingRow[] {
  const groups = [0, 1].map((group) =>
    [6, 9, 4].map((length, i) => resultOf(tokens(7, 50 + group), length, 10 * group + i, [1.2, -0.7, 0.4][i]!)),
  );
  const { rows } = packGroups(groups, 200, () => 0.5);
  const scores = toyScores(new ToyModel(), rows);
  return rows.map((row, r) => {
    const off = (size: number) => scores[r]!.logprobs.map((each, i) => each + size * Math.sin(i * 3 + r));
    return { ...row, targets: { ...row.targets, oldLogprobs: off(0.25), referenceLogprobs: off(0.1) } };
  });
}

function pairs(): TrainingRow[] {
  const rows = [0, 1].map((pair) => {
    const prompt = tokens(6, 70 + pair);
    const answers = [resultOf(prompt, 5, 80 + pair, 1), resultOf(prompt, 8, 90 + pair, -1)];
    return packGroups([answers.map((each) => ({ ...each, weight: 1 }))], Number.POSITIVE_INFINITY, () => 0).rows[0]!;
  });
  const scores = toyScores(new ToyModel(), rows);
  return rows.map((row, r) => ({
    ...row,
    targets: {
      ...row.targets,
      oldLogprobs: undefined,
      referenceLogprobs: scores[r]!.logprobs.map((each) => each + 0.1),
    },
  }));
}
