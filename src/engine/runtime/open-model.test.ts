import { once } from 'node:events';
import { copyFileSync, cpSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ModelTooLargeError } from '../memory/plan-memory.ts';
import { UnsupportedModelError } from '../models/config.ts';
import { openSource } from '../models/open-source.ts';
import { fixtures, openForTests, readJson, temporaryFolder } from '../testing/fixtures.ts';
import { openModel } from './open-model.ts';
import type { ReducedLogits, StepResult } from './types.ts';

const path = join(fixtures, 'models/llama');
const reference = readJson<{ tokens: number[]; logits: number[][] }>(join(path, 'reference.json'));
const tokens = Int32Array.from(reference.tokens);
const model = await openForTests(path);
afterAll(() => model.close());

test('reduced logits have the highest, their sum, and those of the targets', async () => {
  const targets = tokens.map((token) => (token + 5) % model.vocabSize);
  const request = { sequence: model.createSequence(), tokens, wanted: 'all' as const, reduce: { top: 3, targets } };
  const found = reducedOf((await model.step([request]))[0]!);
  for (const [row, logits] of reference.logits.entries()) {
    const order = logits.map((_, token) => token).sort((a, b) => logits[b]! - logits[a]!);
    expect([...found.topTokens.subarray(3 * row, 3 * row + 3)]).toEqual(order.slice(0, 3));
    expect(found.topLogits[3 * row]).toBeCloseTo(logits[order[0]!]!, 4);
    expect(found.logSumExp[row]).toBeCloseTo(Math.log(logits.reduce((sum, each) => sum + Math.exp(each), 0)), 4);
    expect(found.targetLogits[row]).toBeCloseTo(logits[targets[row]!]!, 4);
  }
});

test('each request of a step gets the results it asked for', async () => {
  const make = () => model.createSequence();
  const one = tokens.subarray(0, 1);
  const results = await model.step([
    { sequence: make(), tokens: one, wanted: 'last' },
    { sequence: make(), tokens: one, wanted: 'none' },
    { sequence: make(), tokens: one, wanted: 'last', reduce: { top: 1 } },
    { sequence: make(), tokens: tokens.subarray(0, 9), wanted: 'last', reduce: { top: 4 } },
    { sequence: make(), tokens: one, wanted: 'last', reduce: { top: 2, targets: Int32Array.of(3) } },
  ]);
  expect(results.map(({ kind }) => kind)).toEqual(['logits', 'none', 'reduced', 'reduced', 'reduced']);
  expect(reducedOf(results[2]!).topTokens).toHaveLength(1);
  expect(reducedOf(results[3]!).topLogits[0]).toBeCloseTo(Math.max(...reference.logits[8]!), 4);
  expect(reducedOf(results[4]!).topTokens).toHaveLength(2);
  expect(reducedOf(results[4]!).targetLogits[0]).toBeCloseTo(reference.logits[0]![3]!, 4);
});

test('continues forks and truncated sequences', async () => {
  const sequence = model.createSequence();
  await model.step([{ sequence, tokens, wanted: 'none' }]);
  const copy = (await model.fork(sequence, 20))!;
  model.truncate(sequence, 10);
  const results = await model.step([
    { sequence: copy, tokens: tokens.subarray(20, 21), wanted: 'last', reduce: { top: 1 } },
    { sequence, tokens: tokens.subarray(10, 13), wanted: 'last', reduce: { top: 1 } },
  ]);
  expect([copy.length, sequence.length]).toEqual([21, 13]);
  expect(reducedOf(results[0]!).topLogits[0]).toBeCloseTo(Math.max(...reference.logits[20]!), 4);
  expect(reducedOf(results[1]!).topLogits[0]).toBeCloseTo(Math.max(...reference.logits[12]!), 4);
});

test('continues from kept tokens of removed sequences, also after splitting them', async () => {
  const other = await openForTests(path);
  onTestFinished(() => other.close());
  const sequence = other.createSequence();
  await other.step([{ sequence, tokens: tokens.subarray(0, 30), wanted: 'none' }]);
  const before = await other.cacheBytes();
  const kept = (await other.keep(sequence, 0, 18))!;
  const end = (await other.keep(sequence, 18, 12))!;
  other.release(sequence);
  const [first, rest] = await other.splitKept(kept, 7);
  expect([first.length, rest.length]).toEqual([7, 11]);
  expect(await other.cacheBytes()).toBeLessThan(before);
  const parts = [first, rest, end].map((each) => ({ kept: each, count: each === end ? 2 : each.length }));
  const resumed = (await other.resume(parts, null))!;
  for (const each of [first, rest, end]) other.dropKept(each);
  expect(resumed.length).toBe(20);
  const [result] = await other.step([
    { sequence: resumed, tokens: tokens.subarray(20, 25), wanted: 'last', reduce: { top: 1 } },
  ]);
  expect(reducedOf(result!).topLogits[0]).toBeCloseTo(Math.max(...reference.logits[24]!), 4);
  other.release(resumed);
  expect(await other.cacheBytes()).toBe(0);
});

test('a sequence that found memory full continues when another is released', async () => {
  const small = await openForTests(path, { contextMax: 64, cacheBytesMax: 2 * 2 * 2 * 8 * 2 * 64 * 4 });
  onTestFinished(() => small.close());
  const [first, second, third] = [small.createSequence(), small.createSequence(), small.createSequence()];
  const ask = (sequence: typeof first) => small.step([{ sequence, tokens, wanted: 'none' }]);
  expect(await ask(first)).toEqual([{ kind: 'none' }]);
  expect(await ask(second)).toEqual([{ kind: 'none' }]);
  expect(await ask(third)).toEqual([{ kind: 'cacheFull' }]);
  expect(third.length).toBe(0);
  small.release(first);
  expect(await ask(third)).toEqual([{ kind: 'none' }]);
});

test('released sequences use no memory', async () => {
  const other = await openForTests(path);
  onTestFinished(() => other.close());
  const sequences = Array.from({ length: 5 }, () => other.createSequence());
  await other.step(sequences.map((sequence) => ({ sequence, tokens, wanted: 'none' })));
  expect(await other.cacheBytes()).toBeGreaterThan(0);
  for (const sequence of sequences) other.release(sequence);
  expect(await other.cacheBytes()).toBe(0);
});

test('rejects invalid steps immediately', async () => {
  const sequence = model.createSequence();
  const ask = (wrong: object) => model.step([{ sequence, tokens, wanted: 'last', ...wrong }]);
  await expect(ask({ tokens: new Int32Array(257) })).rejects.toThrow('257 tokens are more than the 256');
  await expect(ask({ tokens: Int32Array.of(48) })).rejects.toThrow('beyond the vocabulary');
  await expect(ask({ tokens: new Int32Array(0) })).rejects.toThrow('at least one token');
  await expect(ask({ reduce: { top: 0 } })).rejects.toThrow('0 tokens of 48');
  await expect(ask({ reduce: { top: 1, targets: Int32Array.of(1, 2) } })).rejects.toThrow('1 rows have a target each');
});

test('a closed model rejects every request', async () => {
  const closed = await openForTests(path);
  await closed.close();
  await expect(closed.cacheBytes()).rejects.toThrow('The model is closed.');
});

test('writes the weight file once, and again after the model has changed', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const source = join(folder, 'source');
  cpSync(path, source, { recursive: true });
  const cacheDirectory = join(folder, 'cache');
  const open = async () => {
    await (await openModel(source, { cacheDirectory, threads: 1 })).close();
    const [name, ...others] = readdirSync(cacheDirectory);
    expect(others).toEqual([]);
    return { name, madeAt: statSync(join(cacheDirectory, name!)).mtimeMs };
  };
  const first = await open();
  expect(await open()).toEqual(first);
  utimesSync(join(source, 'model.safetensors'), 1, 1);
  expect((await open()).name).not.toBe(first.name);
});

test('reports the problem of an invalid model', async () => {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const open = () => openModel(folder, { cacheDirectory: folder });
  const config = readJson<object>(join(path, 'config.json'));
  const write = (changes: object) =>
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ ...config, ...changes }));
  write({ model_type: 'bert' });
  await expect(open()).rejects.toThrow(UnsupportedModelError);
  await expect(open()).rejects.toThrow('models of the type bert are not supported; ');
  write({});
  await expect(open()).rejects.toThrow('has neither model.safetensors nor model.safetensors.index.json');
  copyFileSync(join(path, 'model.safetensors'), join(folder, 'model.safetensors'));
  write({ intermediate_size: 65 });
  await expect(open()).rejects.toThrow('should have 130 × 32 elements in total; found 4096');
  write({ num_hidden_layers: 3 });
  await expect(open()).rejects.toThrow('has no weights named model.layers.2.input_layernorm.weight');
  write({ hidden_size: 32 * 4096, num_hidden_layers: 400, max_position_embeddings: 8192 });
  await expect(open()).rejects.toThrow(ModelTooLargeError);
  expect(readdirSync(folder).sort()).toEqual(['config.json', 'model.safetensors']);
});

test("reports once that a model's thread ended unexpectedly", async () => {
  const lost: Error[] = [];
  const onLost = (cause: Error) => lost.push(cause);
  const starting = once(process, 'worker');
  const opening = openForTests(path, { onLost });
  const [worker] = (await starting) as [Worker];
  const broken = await opening;
  await worker.terminate();
  const step = { sequence: broken.createSequence(), tokens, wanted: 'last' as const };
  await expect(broken.step([step])).rejects.toThrow('The model is closed.');
  expect(lost).toMatchObject([{ message: 'The model is closed.' }]);
  await (await openForTests(path, { onLost })).close();
  expect(lost).toHaveLength(1);
});

function reducedOf(result: StepResult): ReducedLogits {
  if (result.kind !== 'reduced') throw new Error(`expected reduced logits, got ${result.kind}`);
  return result;
}

test('the head computes the same logits from the returned states', async () => {
  const results = await model.step([
    { sequence: model.createSequence(), tokens, wanted: 'all', output: 'states' },
    { sequence: model.createSequence(), tokens: tokens.subarray(0, 1), wanted: 'last', output: 'states' },
    { sequence: model.createSequence(), tokens, wanted: 'last' },
  ]);
  const [all, one] = results.map((result) => (result.kind === 'states' ? result.states : new Float32Array()));
  const { tiedEmbeddings, vocabSize, hiddenSize: size } = model.config;
  const { weights } = await openSource(path);
  const head = weights.readRows(tiedEmbeddings ? 'model.embed_tokens.weight' : 'lm_head.weight', 0, vocabSize);
  weights.close();
  for (const [row, logits] of reference.logits.entries()) {
    const state = all!.subarray(row * size, (row + 1) * size);
    for (const [token, logit] of logits.entries()) {
      const weight = head.subarray(token * size, (token + 1) * size);
      expect(weight.reduce((sum, each, i) => sum + each * state[i]!, 0)).toBeCloseTo(logit, 3);
    }
  }
  expect([...one!]).toEqual([...all!.subarray(0, size)].map((each) => expect.closeTo(each, 4)));
});
