import { afterAll, expect, onTestFinished, test } from 'vitest';
import { isRunning, modelProcesses } from '../../chat/testing/model-processes.ts';
import { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { filesAt } from '../../engine/testing/files-at.ts';
import { temporaryFolder } from '../../engine/testing/fixtures.ts';
import { sftOptimizer } from '../../engine/training/optimizer/adam.ts';
import { rowOfSequence, type TrainingRow } from '../../engine/training/row.ts';
import { modelPath } from '../../engine/training/testing/models.ts';
import type { TrainingState } from '../../engine/training/types.ts';
import type { ModelInTraining } from '../trainer.ts';
import { type LocalTrainerOptions, localTrainer } from './local-trainer.ts';

const hour = 3_600_000;
const gigabyte = 1024 ** 3;
const llama = { id: 'llama', name: 'llama' };
const qwen = { id: 'qwen2', name: 'qwen2' };
const spec = { base: llama, rank: 4, alpha: 8, seed: 7, sequenceTokensMax: 64 };
/** A model that differs in everything but its base. */
const otherSpec = { base: llama, rank: 6, alpha: 3, seed: 1, sequenceTokensMax: 128 };
const crossEntropy = { name: 'cross_entropy' } as const;
const optimizer = { ...sftOptimizer, learningRate: 0.02 };

afterAll(() => expect(trainers()).toEqual([]));

const trainers = () => modelProcesses(process.pid, 'trainer-process.ts').map(({ pid }) => pid);

/** A trainer that is closed when the test ends. */
function openTrainer(more: Partial<LocalTrainerOptions> = {}) {
  const { folder: cacheDirectory, remove } = temporaryFolder();
  const memory = new MemoryBudget({ bytesMax: gigabyte, setting: 'HEDDLE_MEMORY', machineFreeBytes: () => 2 ** 40 });
  const withModelFiles: LocalTrainerOptions['withModelFiles'] = (model, work) =>
    filesAt(modelPath(model.id))(model, work);
  const options = { memory, withModelFiles, cacheDirectory, threads: 2, niceness: 0, idleMsMax: hour, ...more };
  const trainer = localTrainer(options);
  onTestFinished(async () => {
    await trainer.close();
    expect(memory.freeBytes).toBe(gigabyte);
    remove();
  });
  return { trainer, memory };
}

function rowOf(length: number): TrainingRow {
  return rowOfSequence(
    Int32Array.from({ length }, (_, i) => (i * i * 5 + 3 * i + length) % 48),
    (i) => i > 3,
  );
}

/** Some steps. @returns everything that they compute */
async function trained(
  model: ModelInTraining,
): Promise<{ first: TrainingState; steps: unknown[]; last: TrainingState }> {
  const first = await model.saveState();
  const steps: unknown[] = [];
  for (let step = 0; step < 3; step++) {
    steps.push(await model.forwardBackward([rowOf(24), rowOf(17)], crossEntropy), await model.optimStep(optimizer));
  }
  return { first, steps, last: await model.saveState() };
}

async function trainedAlone() {
  const { trainer } = openTrainer({ idleMsMax: 0 });
  const model = await trainer.createModel(spec);
  const done = await trained(model);
  await model.close();
  return done;
}

test('a model in the process of the one before is trained exactly as in a process of its own', async () => {
  const { trainer } = openTrainer();
  const before = await trainer.createModel(otherSpec);
  await before.forwardBackward([rowOf(120), rowOf(40)], crossEntropy);
  await before.optimStep(optimizer);
  await before.forwardBackward([rowOf(90)], crossEntropy); // a gradient that no step uses
  await before.close();
  const processes = trainers();
  const model = await trainer.createModel(spec);
  expect(trainers()).toEqual(processes);
  expect(await trained(model)).toEqual(await trainedAlone());
  await model.close();
});

test('a model that is cancelled while it computes leaves nothing to the next one', async () => {
  const { trainer } = openTrainer();
  const canceled = await trainer.createModel(otherSpec);
  const aborted = new AbortController();
  setTimeout(() => aborted.abort(new Error('enough')), 50);
  const rows = Array.from({ length: 2000 }, () => rowOf(120));
  await expect(canceled.forwardBackward(rows, crossEntropy, aborted.signal)).rejects.toThrow('enough');
  await canceled.close();
  const processes = trainers();
  const model = await trainer.createModel(spec);
  expect(trainers()).toEqual(processes);
  expect(await trained(model)).toEqual(await trainedAlone());
  await model.close();
});

test('a model that is cancelled while it is created in a process that was kept ends the process', async () => {
  const { trainer, memory } = openTrainer();
  await (await trainer.createModel(spec)).close();
  const aborted = new AbortController();
  const creating = trainer.createModel(spec, aborted.signal);
  aborted.abort(new Error('enough'));
  await expect(creating).rejects.toThrow('enough');
  expect(trainers()).toEqual([]);
  expect(memory.freeBytes).toBe(gigabyte);
});

test('a closed model answers no more, and closing it again does not touch the next one', async () => {
  const { trainer } = openTrainer();
  const closed = await trainer.createModel(spec);
  await closed.close();
  const model = await trainer.createModel(spec);
  await closed.close();
  for (const request of [closed.saveState(), closed.optimStep(optimizer), closed.forward([rowOf(8)], 'trained')]) {
    await expect(request).rejects.toThrow('The model in training was closed.');
  }
  await model.forwardBackward([rowOf(8)], crossEntropy);
  await model.close();
});

test('a process that has ended meanwhile is replaced', async () => {
  const { trainer, memory } = openTrainer();
  await (await trainer.createModel(spec)).close();
  const [pid] = trainers();
  process.kill(pid!, 'SIGKILL'); // its end is not known here yet
  const model = await trainer.createModel(spec);
  expect(trainers()).not.toContain(pid);
  await model.forwardBackward([rowOf(8)], crossEntropy);
  const held = gigabyte - memory.freeBytes;
  await model.close();
  expect(memory.freeBytes).toBe(gigabyte - held);
  await trainer.close();
  expect(memory.freeBytes).toBe(gigabyte);
});

test('a process ends before one with another base model starts, and at most one is kept', async () => {
  const { trainer, memory } = openTrainer();
  const [first, second] = [await trainer.createModel(spec), await trainer.createModel(spec)];
  expect(trainers()).toHaveLength(2);
  await first.close();
  await second.close();
  const [pid, ...others] = trainers();
  expect(others).toEqual([]);
  const model = await trainer.createModel({ ...spec, base: qwen });
  expect(trainers()).toHaveLength(1);
  expect(trainers()).not.toContain(pid);
  await model.close();
  await trainer.close();
  expect(memory.freeBytes).toBe(gigabyte);
});

test('a process holds the memory of its largest model until others need it', async () => {
  const { trainer, memory } = openTrainer();
  const use = async (sequenceTokensMax: number) => {
    await (await trainer.createModel({ ...spec, sequenceTokensMax })).close();
    return gigabyte - memory.freeBytes;
  };
  const small = await use(16);
  const large = await use(128);
  expect(large).toBeGreaterThan(small);
  expect(await use(16)).toBe(large);
  expect(memory.availableBytes).toBe(gigabyte);
  expect(await memory.freeIdle()).toBe(true);
  expect(trainers()).toEqual([]);
  expect([memory.freeBytes, await memory.freeIdle()]).toEqual([gigabyte, false]);
  expect(await use(16)).toBe(small);
  const model = await trainer.createModel(spec);
  expect(await memory.freeIdle()).toBe(false);
  await model.close();
});

test('a larger model that does not fit in the process is refused as without it', async () => {
  const { trainer, memory } = openTrainer();
  await (await trainer.createModel({ ...spec, sequenceTokensMax: 16 })).close();
  const other = memory.grant('a model', memory.freeBytes);
  await expect(trainer.createModel({ ...spec, sequenceTokensMax: 128 })).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(
      /^training over llama needs (?<bytes>.*) of memory, and .* are free\. .*; a model uses [^,]*$/,
    ),
  });
  expect(trainers()).toEqual([]);
  other.release();
  expect(memory.freeBytes).toBe(gigabyte);
});

test('a process is kept for the idle time', async () => {
  const { trainer, memory } = openTrainer({ idleMsMax: 1 });
  await (await trainer.createModel(spec)).close();
  await expect.poll(() => memory.freeBytes, { timeout: 20_000 }).toBe(gigabyte);
  expect(trainers()).toEqual([]);
});

test('no process is kept without an idle time', async () => {
  const { trainer, memory } = openTrainer({ idleMsMax: 0 });
  await (await trainer.createModel(spec)).close();
  expect([trainers(), memory.freeBytes]).toEqual([[], gigabyte]);
});

test('the process of a base model that is removed ends', async () => {
  const { trainer } = openTrainer();
  await (await trainer.createModel(spec)).close();
  const [pid] = trainers();
  await trainer.closeRemoved(async () => new Set(['qwen2', 'llama']));
  expect(isRunning(pid!)).toBe(true);
  await trainer.closeRemoved(async () => new Set(['qwen2']));
  expect(isRunning(pid!)).toBe(false);
});

test('a list of models that was asked for before a model was created does not end its process', async () => {
  const { trainer } = openTrainer();
  await (await trainer.createModel(spec)).close();
  const listed = Promise.withResolvers<Set<string>>();
  const removing = trainer.closeRemoved(() => listed.promise);
  const model = await trainer.createModel(spec);
  listed.resolve(new Set());
  await removing;
  await model.forwardBackward([rowOf(8)], crossEntropy);
  await model.close();
});

test('a trainer that is closed keeps no process, also of models that are closed later', async () => {
  const { trainer, memory } = openTrainer();
  const model = await trainer.createModel(spec);
  await (await trainer.createModel(spec)).close();
  await trainer.close();
  expect(trainers()).toHaveLength(1);
  await model.close();
  expect([trainers(), memory.freeBytes]).toEqual([[], gigabyte]);
});
