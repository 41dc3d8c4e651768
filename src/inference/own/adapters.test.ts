import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { modelProcesses } from '../../chat/testing/model-processes.ts';
import type { ChoiceEvent, ModelReference } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import type { AdapterId } from '../../engine/adapter-id.ts';
import { writePeftFolder } from '../../engine/adapters/peft/write.ts';
import { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { readConfig } from '../../engine/models/open-source.ts';
import { randomAdapter } from '../../engine/testing/random-adapter.ts';
import { testLimits } from '../hosts/testing/options.ts';
import type { Inference } from '../inference.ts';
import type { OwnInferenceOptions } from './own-inference.ts';
import { openTiny, tiny, tinyPath } from './testing/open-tiny.ts';

const config = await readConfig(tinyPath);
const limits = { ...testLimits, runningMax: 8, waitingMax: 20 };

afterAll(() => expect(modelProcesses()).toEqual([]));

function openForTest(more: Partial<OwnInferenceOptions> = {}): { inference: Inference; folder: string } {
  const { inference, folder } = openTiny({ limits, ...more });
  mkdirSync(join(folder, 'adapters'));
  return { inference, folder: join(folder, 'adapters') };
}

function adapterIn(parent: string, seed: number, options: { rank?: number } = {}) {
  const folder = join(parent, `${seed}`);
  writePeftFolder(folder, randomAdapter(config, { seed, ...options }));
  return {
    ...tiny,
    name: `tuned-${seed}`,
    adapter: { id: `${parent}/${seed}` as AdapterId, title: `tuned-${seed}`, files: { folder } },
  };
}

function ask(inference: Inference, model: ModelReference, more: Record<string, unknown> = {}) {
  const messages = [{ role: 'user', content: 'Tell me about the sea' }];
  const fields = { messages, temperature: 0, ignore_eos: true, max_tokens: 24, logprobs: true, top_logprobs: 1 };
  return inference.generate(
    model,
    {
      tenant: ['user', 'project'],
      body: chatRequest.parse({ ...fields, ...more }),
      usesNeutralSampling: false,
      now: 0,
      keepsLogprobs: true,
    },
    new AbortController().signal,
  );
}

type Said = { ids: number[]; logprobs: number[] };

async function say(inference: Inference, model: ModelReference, more: Record<string, unknown> = {}): Promise<Said> {
  const { events } = await ask(inference, model, more);
  const choices: ChoiceEvent[] = [];
  for await (const event of events) if (event.kind === 'choice') choices.push(event);
  return {
    ids: choices.flatMap(({ ids }) => ids),
    logprobs: choices.flatMap(({ logprobs }) => logprobs.map(({ logprob }) => logprob)),
  };
}

function expectSame(found: Said, expected: Said): void {
  expect(found.ids).toEqual(expected.ids);
  const distances = found.logprobs.map((logprob, i) => Math.abs(logprob - expected.logprobs[i]!));
  expect(Math.max(...distances)).toBeLessThan(1e-4);
}

test('a prompt has the same tokens and logprobs alone and beside other adapters, whatever was computed before [chat 179]', async () => {
  const { inference, folder } = openForTest();
  const models = [tiny, adapterIn(folder, 1), adapterIn(folder, 2)];
  const alone: Said[] = [];
  for (const model of models) alone.push(await say(inference, model));
  expect(new Set(alone.map(({ logprobs }) => logprobs.map((each) => each.toFixed(2)).join())).size).toBe(3);
  const order = [0, 1, 2, 1, 0, 2, 2, 1];
  const together = await Promise.all(order.map((at) => say(inference, models[at]!)));
  for (const [i, at] of order.entries()) expectSame(together[i]!, alone[at]!);
  for (const [at, model] of models.entries()) expectSame(await say(inference, model), alone[at]!);
  expect(modelProcesses()).toHaveLength(1);
});

test('evicts the least recently used adapter and loads it again when needed [chat 186]', async () => {
  const { inference, folder } = openForTest();
  const models = [1, 2, 3].map((seed) => adapterIn(folder, seed));
  const first: Said[] = [];
  for (const model of models) first.push(await say(inference, model));
  rmSync(models[2]!.adapter.files.folder, { recursive: true }); // it is in memory
  expectSame(await say(inference, models[0]!), first[0]!);
  expectSame(await say(inference, models[2]!), first[2]!);
  rmSync(models[1]!.adapter.files.folder, { recursive: true });
  await expect(say(inference, models[1]!)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: 'The adapter cannot be used. The folder of the adapter has no adapter_config.json.',
    extra: { param: 'model' },
  });
});

test('requests for more adapters than may be loaded wait until one is unused [chat 186]', async () => {
  const { inference, folder } = openForTest();
  const models = [1, 2, 3, 4].map((seed) => adapterIn(folder, seed));
  const said = await Promise.all(models.map((model) => say(inference, model, { max_tokens: 100 })));
  expect(new Set(said.map(({ ids }) => ids.join())).size).toBe(4);
  for (const [i, model] of models.entries()) expectSame(await say(inference, model, { max_tokens: 100 }), said[i]!);
});

test('an adapter is loaded while others generate', async () => {
  const { inference, folder } = openForTest();
  const [older, fresh] = [adapterIn(folder, 1), adapterIn(folder, 2)];
  const long = { max_tokens: 600 };
  const alone = await say(inference, older, long);
  const going = say(inference, older, long);
  await inference.loadAdapter(fresh);
  await say(inference, fresh);
  expectSame(await going, alone);
});

test('unloading an adapter waits for its requests [chat 180]', async () => {
  const { inference, folder } = openForTest();
  const model = adapterIn(folder, 1);
  const { events } = await ask(inference, model, { max_tokens: 300 });
  let hasEnded = false;
  let tokens = 0;
  const unloading = inference.unloadAdapter(model).then(() => expect(hasEnded).toBe(true));
  rmSync(model.adapter.files.folder, { recursive: true });
  for await (const event of events) if (event.kind === 'choice') tokens += event.ids.length;
  hasEnded = true;
  expect(tokens).toBe(300);
  await unloading;
  await expect(say(inference, model)).rejects.toMatchObject({ kind: 'invalidInput' });
  await inference.unloadAdapter(model); // nothing is loaded
});

test('an adapter is released when its requests are canceled', async () => {
  const { inference, folder } = openForTest();
  const model = adapterIn(folder, 1);
  const { events } = await ask(inference, model, { max_tokens: 900 });
  const unloading = inference.unloadAdapter(model);
  for await (const _ of events) break;
  await unloading;
});

test('a model serves its adapters again after its process was killed [chat 187]', async () => {
  const onCrash = vi.fn();
  const { inference, folder } = openForTest({ onCrash });
  const model = adapterIn(folder, 1);
  const before = await say(inference, model);
  process.kill(modelProcesses()[0]!.pid, 'SIGKILL');
  await vi.waitFor(() => expect(onCrash).toHaveBeenCalledOnce(), { timeout: 20_000 });
  expectSame(await say(inference, model), before);
});

test('names the limit that an adapter exceeds', async () => {
  const { inference, folder } = openForTest();
  await expect(inference.loadAdapter(adapterIn(folder, 1, { rank: 9 }))).rejects.toMatchObject({
    kind: 'invalidInput',
    message: 'The rank of the adapter is 9; at most 8 is allowed (adapterRankMax).',
  });
});

test('adapters use the memory budget of their model', async () => {
  const megabyte = 1024 ** 2;
  const bytesMax = 700 * megabyte;
  const machineFreeBytes = () => Number.POSITIVE_INFINITY;
  const memory = new MemoryBudget({ bytesMax, setting: 'HEDDLE_MODEL_MEMORY_MAX_BYTES', machineFreeBytes });
  const manyAdapters = { ...limits, adapters: { countMax: 100, rankMax: 1024 } };
  const { inference, folder } = openForTest({ memory, limits: manyAdapters });
  await say(inference, tiny);
  const free = memory.freeBytes;
  const models = [1, 2, 3].map((seed) => adapterIn(folder, seed, { rank: 256 }));
  const said: Said[] = [];
  for (const model of models) said.push(await say(inference, model));
  expect(memory.freeBytes).toBe(free);
  const second = { ...tiny, id: 'second', name: 'second' }; // needs what the first holds
  await say(inference, second);
  expectSame(await say(inference, models[0]!), said[0]!);
});
