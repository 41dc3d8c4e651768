import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { ampleMemory } from '../../chat/testing/ample-memory.ts';
import { modelProcesses } from '../../chat/testing/model-processes.ts';
import type { ModelFiles } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import { temporaryFolder } from '../../engine/testing/fixtures.ts';
import type { Inference } from '../inference.ts';
import { type OwnInferenceOptions, openOwnInference } from './own-inference.ts';
import { noBlobs, testLimits } from './testing/options.ts';

const model = {
  id: 'tiny',
  name: 'tiny',
  adapter: null,
  path: fileURLToPath(new URL('../../../assets/tiny-model', import.meta.url)),
};

afterEach(() => expect(modelProcesses()).toEqual([]));

function openForTest(more: Partial<OwnInferenceOptions> = {}): Inference {
  const { folder, remove } = temporaryFolder();
  const inference = openOwnInference({
    ...{ limits: testLimits, memory: ampleMemory(), cacheDirectory: folder, niceness: 0, withLocalFiles: noBlobs },
    ...more,
  });
  onTestFinished(async () => {
    await inference.close();
    remove();
  });
  return inference;
}

async function tokensFrom(inference: Inference, count: number, files: ModelFiles = model): Promise<number> {
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = chatRequest.parse({ messages, ignore_eos: true, max_tokens: count });
  const request = {
    tenant: ['user', 'project'] as const,
    body,
    usesNeutralSampling: false,
    keepsLogprobs: false,
  };
  const { events } = await inference.generate(files, request, new AbortController().signal);
  let tokens = 0;
  for await (const event of events) if (event.kind === 'choice') tokens += event.ids.length;
  return tokens;
}

test('closes an unused model after the idle time, and opens it again with the next request', async () => {
  const inference = openForTest({ idleMsMax: 20 });
  for (let round = 0; round < 2; round++) {
    expect(await tokensFrom(inference, 300)).toBe(300);
    await expect.poll(() => modelProcesses(), { timeout: 20_000 }).toEqual([]);
  }
});

test('a model stays open without an idle time', async () => {
  const inference = openForTest();
  await tokensFrom(inference, 1);
  const [first] = modelProcesses();
  await tokensFrom(inference, 1);
  expect(modelProcesses()).toEqual([first]);
  await inference.close();
});

test('a server that stops does not wait for a model that is being opened', async () => {
  const inference = openForTest();
  const answer = tokensFrom(inference, 1);
  const refused = expect(answer).rejects.toMatchObject({ kind: 'unavailable', message: 'The model was closed.' });
  await inference.close();
  expect(modelProcesses()).toEqual([]);
  await refused;
  await expect(tokensFrom(inference, 1)).rejects.toMatchObject({ message: 'The server is stopping.' });
});

const megabyte = 1024 ** 2;
const second = { ...model, id: 'second', name: 'second' };

function budgetOf(megabytes: number): MemoryBudget {
  return new MemoryBudget({
    bytesMax: megabytes * megabyte,
    setting: 'HEDDLE_MODEL_MEMORY_MAX_BYTES',
    machineFreeBytes: () => Number.POSITIVE_INFINITY,
  });
}

test('models share one memory budget, which has everything back when they are closed', async () => {
  const memory = budgetOf(1_000);
  const inference = openForTest({ memory });
  await tokensFrom(inference, 1);
  const afterFirst = memory.freeBytes;
  expect(afterFirst).toBeLessThan(700 * megabyte);
  await tokensFrom(inference, 1, second);
  expect(modelProcesses()).toHaveLength(2);
  expect(memory.freeBytes).toBeLessThan(afterFirst);
  await inference.close();
  expect(memory.freeBytes).toBe(1_000 * megabyte);
});

test('an open model gives back the memory of its caches when another needs it', async () => {
  const inference = openForTest({ memory: budgetOf(720) }); // of which the first takes weights, 300 MB and half of the rest
  await tokensFrom(inference, 100);
  await tokensFrom(inference, 1, second);
  expect(modelProcesses()).toHaveLength(2);
  expect(await tokensFrom(inference, 100)).toBe(100);
  await inference.close();
});

test('an unused model is closed when another needs its memory', async () => {
  const inference = openForTest({ memory: budgetOf(500) });
  await tokensFrom(inference, 1);
  const [first] = modelProcesses();
  await tokensFrom(inference, 1, second);
  expect(modelProcesses().map(({ pid }) => pid)).not.toContain(first!.pid);
  expect(modelProcesses()).toHaveLength(1);
  await inference.close();
});

test('a model that the budget never holds is refused with the sizes and the setting', async () => {
  const inference = openForTest({ memory: budgetOf(100) });
  await expect(tokensFrom(inference, 1)).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(
      /does not fit into memory: it needs .* in total, and 100 MB are free\..* All models together may use 100 MB \(HEDDLE_MODEL_MEMORY_MAX_BYTES\); nothing is in use\.$/,
    ),
  });
});
