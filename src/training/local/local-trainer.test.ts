import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelProcesses } from '../../chat/testing/model-processes.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import { type Adapter, adapterScale } from '../../engine/adapters/adapter.ts';
import { adapterLayout } from '../../engine/adapters/layout.ts';
import { packAdapter } from '../../engine/adapters/pack.ts';
import { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { openSource } from '../../engine/models/open-source.ts';
import { encodeSafetensors, type WrittenTensor } from '../../engine/models/safetensors/write.ts';
import { elementCount } from '../../engine/models/weight-source.ts';
import type { LoadedModel } from '../../engine/runtime/types.ts';
import { filesAt } from '../../engine/testing/files-at.ts';
import { openForTests, temporaryFolder } from '../../engine/testing/fixtures.ts';
import { withReference } from '../../engine/training/batches/known-logprobs.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import { modelPath, trainForTest } from '../../engine/training/testing/models.ts';
import { type RowScores, TrainingDiverged, type TrainingState } from '../../engine/training/types.ts';
import { invalidInput } from '../../util/failures.ts';
import type { ModelInTraining } from '../trainer.ts';
import { localTrainer } from './local-trainer.ts';

const crossEntropy = { name: 'cross_entropy' } as const;
const optimizer = { ...sftOptimizer, learningRate: 0.02 };

test('steps of cross entropy lower the loss', async () => {
  const model = await trainForTest(modelPath('llama'));
  const losses: number[] = [];
  for (let step = 1; step <= 12; step++) {
    losses.push((await model.forwardBackward(someRows(), crossEntropy)).loss);
    expect((await model.optimStep(optimizer)).step).toBe(step);
  }
  expect(losses.at(-1)!).toBeLessThan(0.7 * losses[0]!);
});

test('rewarded tokens become more likely than penalized ones', async () => {
  const model = await trainForTest(modelPath('qwen3'));
  const prompt = [7, 8, 9];
  const row = (token: number, advantage: number) =>
    rowOfSequence(Int32Array.from([...prompt, token]), (i) => i === prompt.length, {
      advantages: Float32Array.of(advantage),
    });
  const rows = [row(20, 1), row(30, -1)];
  const difference = async () => {
    const [good, bad] = await model.forward(rows, 'trained');
    return good!.logprobs[0]! - bad!.logprobs[0]!;
  };
  const before = await difference();
  for (let step = 0; step < 10; step++) {
    await model.forwardBackward(rows, { name: 'cispo' });
    await model.optimStep(optimizer);
  }
  expect(await difference()).toBeGreaterThan(before + 1);
});

test('training from a saved state gives the same result as uninterrupted training', async () => {
  const step = async (model: ModelInTraining) => {
    const { loss } = await model.forwardBackward(someRows(), crossEntropy);
    return { loss, ...(await model.optimStep(optimizer)) };
  };
  const first = await trainForTest(modelPath('llama'));
  for (let i = 0; i < 3; i++) await step(first);
  const state = await first.saveState();
  const second = await trainForTest(modelPath('llama'), { seed: 8 });
  await second.loadState(state);
  for (let i = 0; i < 3; i++) expect(await step(second)).toEqual(await step(first));
  expect(await second.saveState()).toEqual(await first.saveState());
});

test('the gradient of two batches is the sum of theirs, however many runs they take', async () => {
  const [first, second] = [await trainForTest(modelPath('llama')), await trainForTest(modelPath('llama'))];
  const rows = someRows();
  await first.forwardBackward(rows, crossEntropy);
  await first.forwardBackward(rows, crossEntropy);
  await second.forwardBackward([...rows, ...rows], crossEntropy);
  const norms = [await first.optimStep(optimizer), await second.optimStep(optimizer)].map((each) => each.gradientNorm);
  expect(norms[0]! / norms[1]!).toBeCloseTo(2, 4);
});

describe('changes nothing', () => {
  const unchangedBy = async (attempt: (model: ModelInTraining) => Promise<unknown>, error: unknown) => {
    const model = await trainForTest(modelPath('llama'));
    const untouched = await trainForTest(modelPath('llama'));
    for (const each of [model, untouched]) {
      await each.forwardBackward(someRows(), crossEntropy);
      await each.optimStep(optimizer);
      await each.forwardBackward(someRows(), crossEntropy);
    }
    await expect(attempt(model)).rejects.toEqual(error);
    expect(await model.optimStep(optimizer)).toEqual(await untouched.optimStep(optimizer));
    expect(await model.saveState()).toEqual(await untouched.saveState());
  };

  test('after a loss that is not a number', async () => {
    const rows = someRows();
    rows[0]!.targets.advantages = new Float32Array(rows[0]!.targets.tokens.length).fill(Number.NaN);
    await unchangedBy(
      (model) => model.forwardBackward(rows, { name: 'cispo' }),
      new TrainingDiverged('The loss is NaN.'),
    );
  });

  test('after a step that is too large for a number', async () => {
    await unchangedBy(
      (model) => model.optimStep({ ...optimizer, learningRate: 1e39 }),
      new TrainingDiverged('After a step with the learning rate 1e+39, weights are not finite.'),
    );
  });

  test('when it is cancelled', async () => {
    const aborted = new AbortController();
    const rows = Array.from({ length: 400 }, () => longRow());
    setTimeout(() => aborted.abort(new Error('enough')), 50);
    await unchangedBy((model) => model.forwardBackward(rows, crossEntropy, aborted.signal), new Error('enough'));
  });

  test('after a row that cannot be computed', async () => {
    const rows = [...someRows(), rowOfSequence(Int32Array.of(1, 48), () => true)];
    await unchangedBy(
      (model) => model.forwardBackward(rows, crossEntropy),
      invalidInput('Row 2 has a token outside the vocabulary of 48.'),
    );
  });

  test('after a state of another shape', async () => {
    const other = await trainForTest(modelPath('llama'), { rank: 2 });
    const state = await other.saveState();
    const refused = invalidInput('The state has rank 2 and alpha 8; the model has rank 4 and alpha 8.');
    const model = await trainForTest(modelPath('llama'));
    await expect(model.loadState(state)).rejects.toEqual(refused);
    expect((await model.saveState()).optimizer!.step).toBe(0);
  });
});

test('scores rows with the base model or with an adapter of any rank', async () => {
  const other = await trainForTest(modelPath('qwen2'), { rank: 2, alpha: 3 });
  const rows = someRows();
  const [before] = await other.forward(rows, 'base');
  await train(other, 3);
  const expected = await other.forward(rows, 'trained');
  const model = await trainForTest(modelPath('qwen2'), { seed: 8 });
  expect(await model.forward(rows, { adapter: await other.saveWeightsForSampler() })).toEqual(expected);
  expect((await model.forward(rows, 'base'))[0]).toEqual(before);
  expect(largestDifference(before!.logprobs, expected[0]!.logprobs)).toBeGreaterThan(0.1);
});

test('the KL penalty compares the policy with the reference row by row', async () => {
  const model = await trainForTest(modelPath('llama'));
  await train(model, 6);
  const rows = someRows();
  const [trained, base] = [await model.forward(rows, 'trained'), await model.forward(rows, 'base')];
  const loss = { name: 'cispo', config: { kl_penalty_coef: 1 } } as const;
  const { metrics } = await model.forwardBackward(withReference(rows, base), loss);
  expect(metrics.klPolicyReference).toBeCloseTo(meanOf(trained) - meanOf(base), 4);
  await expect(model.forwardBackward(rows, loss)).rejects.toMatchObject({ kind: 'invalidInput' });
});

test('rejects a step without a gradient', async () => {
  const model = await trainForTest(modelPath('llama'));
  const refused = invalidInput('There is no gradient: call forwardBackward before optimStep.');
  await expect(model.optimStep(optimizer)).rejects.toEqual(refused);
});

test.each(['llama', 'qwen2', 'qwen3', 'mistral-window', 'llama-biased'])(
  'the engine gives the logprobs of the trainer with its LoRA weights over %s, merged and as an adapter',
  async (name) => {
    const model = await trainForTest(modelPath(name));
    await train(model, 6);
    const row = rowOfSequence(someRows()[0]!.tokens, () => true);
    const [scores] = await model.forward([row], 'trained');
    const [plain] = await model.forward([row], 'base');
    expect(largestDifference(scores!.logprobs, plain!.logprobs)).toBeGreaterThan(0.1);

    const adapter = await model.saveWeightsForSampler();
    const { folder, remove } = temporaryFolder();
    onTestFinished(remove);
    await writeMerged(modelPath(name), join(folder, 'merged'), adapter);
    const merged = await openForTests(join(folder, 'merged'));
    onTestFinished(() => merged.close());
    expect(largestDifference(scores!.logprobs, await logprobsOf(merged, row, null))).toBeLessThan(2e-5);

    const base = await openForTests(modelPath(name));
    onTestFinished(() => base.close());
    const id = 'trained' as AdapterId;
    await base.addAdapter(id, packAdapter(adapter, adapterLayout(base.config)));
    expect(largestDifference(scores!.logprobs, await logprobsOf(base, row, id))).toBeLessThan(2e-5);
  },
);

const withModelFiles = filesAt(modelPath('llama'));
const small = { id: 'small', name: 'small' };

test('reserves memory before loading a model and releases it when the model is closed', async () => {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  onTestFinished(remove);
  const spec = { base: small, rank: 8, alpha: 16, seed: 1, sequenceTokensMax: 64 };
  const scarce = new MemoryBudget({ bytesMax: 1024 ** 2, setting: 'HEDDLE_MEMORY' });
  const options = { withModelFiles, cacheDirectory, threads: 1, niceness: 0 };
  const refused = localTrainer({ ...options, memory: scarce }).createModel(spec);
  await expect(refused).rejects.toThrow(/^training over small needs .* 1\.0 MB are free\./);
  await expect(refused).rejects.toMatchObject({ kind: 'invalidInput' });

  const memory = new MemoryBudget({ bytesMax: 1024 ** 3, setting: 'HEDDLE_MEMORY', machineFreeBytes: () => 2 ** 40 });
  const model = await localTrainer({ ...options, memory }).createModel(spec);
  expect(memory.freeBytes).toBeLessThan(1024 ** 3);
  await model.close();
  expect(memory.freeBytes).toBe(1024 ** 3);
  await expect(model.saveState()).rejects.toThrow('The model in training was closed.');
});

test('computes with as many threads as the setting says', async () => {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  onTestFinished(remove);
  const memory = new MemoryBudget({ bytesMax: 1024 ** 3, setting: 'HEDDLE_MEMORY', machineFreeBytes: () => 2 ** 40 });
  const spec = { base: small, rank: 8, alpha: 16, seed: 1, sequenceTokensMax: 64 };
  const threadsWith = async (threads: number) => {
    const model = await localTrainer({ withModelFiles, cacheDirectory, memory, niceness: 0, threads }).createModel(
      spec,
    );
    const count = threadCount(modelProcesses(process.pid, 'trainer-process.ts')[0]!.pid);
    await model.close();
    return count;
  };
  expect(await threadsWith(4)).toBe((await threadsWith(1)) + 3);
});

test('evicts others to get memory', async () => {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  onTestFinished(remove);
  const spec = { base: small, rank: 8, alpha: 16, seed: 1, sequenceTokensMax: 64 };
  const memory = new MemoryBudget({ bytesMax: 1024 ** 3, setting: 'HEDDLE_MEMORY', machineFreeBytes: () => 2 ** 40 });
  const idle = [600, 400].map((mb) => memory.grant('an idle model', mb * 1024 ** 2));
  const roomMaker = () => async () => {
    const next = idle.pop();
    next?.release();
    return next !== undefined;
  };
  const options = { withModelFiles, cacheDirectory, threads: 1, niceness: 0, memory };
  const refused = localTrainer(options).createModel(spec);
  await expect(refused).rejects.toMatchObject({ kind: 'invalidInput' });
  const model = await localTrainer({ ...options, roomMaker }).createModel(spec);
  expect(idle).toHaveLength(1);
  await model.close();
});

test('rejects a model whose weights are not here', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  cpSync(join(modelPath('llama'), 'config.json'), join(folder, 'config.json'));
  await expect(trainForTest(folder)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/^The weights of .* are not on this machine/),
  });
});

test('rejects a model of a family that is only served', async () => {
  await expect(trainForTest(modelPath('gemma2'))).rejects.toEqual(
    invalidInput('models of the type gemma2 can be served but not trained; llama, mistral, qwen2 and qwen3 can'),
  );
});

test('rejects a specification that no model has', async () => {
  const withSpec = (spec: object) => trainForTest(modelPath('llama'), spec);
  await expect(withSpec({ rank: 0 })).rejects.toEqual(
    invalidInput('rank is 0; expected a whole number from 1 to 1024.'),
  );
  await expect(withSpec({ alpha: Number.NaN })).rejects.toEqual(
    invalidInput('alpha is NaN; expected a number above 0.'),
  );
  await expect(withSpec({ sequenceTokensMax: 257 })).rejects.toEqual(
    invalidInput('sequenceTokensMax is 257; expected a whole number from 1 to 256.'),
  );
});

test('the seed determines the initial weights', async () => {
  const states: TrainingState[] = [];
  for (const seed of [1, 1, 2]) states.push(await (await trainForTest(modelPath('llama'), { seed })).saveState());
  expect(states[0]).toEqual(states[1]);
  expect(states[0]).not.toEqual(states[2]);
});

async function train(model: ModelInTraining, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await model.forwardBackward(someRows(), crossEntropy);
    await model.optimStep(optimizer);
  }
}

function someRows(): TrainingRow[] {
  const tokens = (length: number) => Int32Array.from({ length }, (_, i) => (i * i * 5 + 3 * i + length) % 48);
  return [rowOfSequence(tokens(24), (i) => i > 3), rowOfSequence(tokens(17), (i) => i > 5)];
}

function longRow(): TrainingRow {
  return rowOfSequence(new Int32Array(128).fill(3), () => true);
}

/** What the engine that samples gives. */
async function logprobsOf(model: LoadedModel, { tokens, targets }: TrainingRow, adapter: AdapterId | null) {
  const sequence = model.createSequence(adapter);
  const reduce = { top: 1, targets: targets.tokens };
  const [result] = await model.step([{ sequence, tokens: tokens.subarray(0, -1), wanted: 'all', reduce }]);
  if (result?.kind !== 'reduced') throw new Error('no logprobs');
  return result.targetLogits.map((logit, i) => logit - result.logSumExp[i]!);
}

/** A copy of a model whose weights are those of the base plus the adapter. */
async function writeMerged(base: string, folder: string, { modules, ...rest }: Adapter): Promise<void> {
  cpSync(join(base, 'config.json'), join(folder, 'config.json'));
  const { config, weights } = await openSource(base);
  const names = ['model.embed_tokens.weight', 'model.norm.weight', 'lm_head.weight'];
  const parts = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'q_norm', 'k_norm'].map((each) => `self_attn.${each}`);
  const others = ['mlp.gate_proj', 'mlp.up_proj', 'mlp.down_proj', 'input_layernorm', 'post_attention_layernorm'];
  for (const layer of config.layers.keys()) {
    const ofLayer = [...parts, ...others].flatMap((each) => [`${each}.weight`, `${each}.bias`]);
    names.push(...ofLayer.map((each) => `model.layers.${layer}.${each}`));
  }
  const tensors = new Map<string, WrittenTensor>();
  for (const name of names.filter((each) => weights.has(each))) {
    const shape = weights.shape(name);
    const values = weights.readRows(name, 0, shape[0]!);
    expect(values.length).toBe(elementCount(shape));
    const module = modules.get(name.replace(/\.weight$/, ''));
    if (module) addProduct(values, module.a, module.b, rest.rank, adapterScale(rest));
    tensors.set(name, { shape, values });
  }
  weights.close();
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(tensors));
}

/** `W += scale · b · a` */
function addProduct(values: Float32Array, a: Float32Array, b: Float32Array, rank: number, scale: number): void {
  const width = a.length / rank;
  for (let i = 0; i < values.length; i++) {
    const [row, column] = [Math.floor(i / width), i % width];
    let sum = 0;
    for (let r = 0; r < rank; r++) sum += b[row * rank + r]! * a[r * width + column]!;
    values[i]! += scale * sum;
  }
}

function meanOf(scores: RowScores[]): number {
  const all = scores.flatMap(({ logprobs }) => [...logprobs]);
  return all.reduce((sum, each) => sum + each, 0) / all.length;
}

function largestDifference(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
}

function threadCount(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).length;
}
