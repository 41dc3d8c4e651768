import { afterEach, expect, test } from 'vitest';
import { modelProcesses } from '../../chat/testing/model-processes.ts';
import type { ModelReference } from '../../chat/types.ts';
import { chatRequest } from '../../contract/chat/request.ts';
import { MemoryBudget } from '../../engine/memory/memory-budget.ts';
import type { Inference } from '../inference.ts';
import { openTiny, tiny } from './testing/open-tiny.ts';

afterEach(() => expect(modelProcesses()).toEqual([]));

async function tokensFrom(inference: Inference, count: number, model: ModelReference = tiny): Promise<number> {
  const messages = [{ role: 'user', content: 'Hi' }];
  const body = chatRequest.parse({ messages, ignore_eos: true, max_tokens: count });
  const request = {
    tenant: ['user', 'project'] as const,
    body,
    usesNeutralSampling: false,
    now: 0,
    keepsLogprobs: false,
  };
  const { events } = await inference.generate(model, request, new AbortController().signal);
  let tokens = 0;
  for await (const event of events) if (event.kind === 'choice') tokens += event.ids.length;
  return tokens;
}

test('closes an unused model after the idle time, and opens it again with the next request', async () => {
  const { inference } = openTiny({ idleMsMax: 20 });
  for (let round = 0; round < 2; round++) {
    expect(await tokensFrom(inference, 300)).toBe(300);
    await expect.poll(() => modelProcesses(), { timeout: 20_000 }).toEqual([]);
  }
});

test('a model that is removed is closed after its requests, and no other', async () => {
  const { inference } = openTiny();
  const answer = tokensFrom(inference, 300);
  await expect.poll(() => inference.openModels(), { timeout: 20_000 }).toHaveLength(1);
  await inference.closeRemoved(async () => new Set([tiny.id]));
  expect(inference.openModels()).toHaveLength(1);
  await inference.closeRemoved(async () => new Set());
  expect(inference.openModels()).toEqual([]);
  expect(await answer).toBe(300);
  await expect.poll(() => modelProcesses(), { timeout: 20_000 }).toEqual([]);
  await inference.close();
});

test('a model stays open without an idle time', async () => {
  const { inference } = openTiny();
  await tokensFrom(inference, 1);
  const [first] = modelProcesses();
  await tokensFrom(inference, 1);
  expect(modelProcesses()).toEqual([first]);
  await inference.close();
});

test('a server that stops does not wait for a model that is being opened', async () => {
  const { inference } = openTiny();
  const answer = tokensFrom(inference, 1);
  const refused = expect(answer).rejects.toMatchObject({ kind: 'unavailable', message: 'The server is stopping.' });
  await inference.close();
  expect(modelProcesses()).toEqual([]);
  await refused;
  await expect(tokensFrom(inference, 1)).rejects.toMatchObject({ message: 'The server is stopping.' });
});

test('a server that stops does not open a model whose files arrive later', async () => {
  const { promise: arrival, resolve: arrive } = Promise.withResolvers<string>();
  const { inference } = openTiny({ withModelFiles: async (_, work) => work(await arrival) });
  const refused = expect(tokensFrom(inference, 1)).rejects.toMatchObject({ message: 'The server is stopping.' });
  const closing = inference.close();
  arrive('no such folder'); // opening it would be another error
  await Promise.all([closing, refused]);
  expect(modelProcesses()).toEqual([]);
});

const megabyte = 1024 ** 2;
const second = { ...tiny, id: 'second', name: 'second' };

function budgetOf(megabytes: number): MemoryBudget {
  return new MemoryBudget({
    bytesMax: megabytes * megabyte,
    setting: 'HEDDLE_MODEL_MEMORY_MAX_BYTES',
    machineFreeBytes: () => Number.POSITIVE_INFINITY,
  });
}

test('models share one memory budget, which has everything back when they are closed', async () => {
  const memory = budgetOf(1_000);
  const { inference } = openTiny({ memory });
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
  const { inference } = openTiny({ memory: budgetOf(720) }); // of which the first takes weights, 300 MB and half of the rest
  await tokensFrom(inference, 100);
  await tokensFrom(inference, 1, second);
  expect(modelProcesses()).toHaveLength(2);
  expect(await tokensFrom(inference, 100)).toBe(100);
  await inference.close();
});

test('an unused model is closed when another needs its memory', async () => {
  const { inference } = openTiny({ memory: budgetOf(500) });
  await tokensFrom(inference, 1);
  const [first] = modelProcesses();
  await tokensFrom(inference, 1, second);
  expect(modelProcesses().map(({ pid }) => pid)).not.toContain(first!.pid);
  expect(modelProcesses()).toHaveLength(1);
  await inference.close();
});

test('a model that the budget never holds is refused with the sizes and the setting', async () => {
  const { inference } = openTiny({ memory: budgetOf(100) });
  await expect(tokensFrom(inference, 1)).rejects.toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(
      /does not fit into memory: it needs .* in total, and 100 MB are free\..* All models together may use 100 MB \(HEDDLE_MODEL_MEMORY_MAX_BYTES\); nothing is in use\.$/,
    ),
  });
});

test('memory that others do not need now is freed before a model is smaller or refused', async () => {
  const sizeBeside = async (idleMegabytes: number) => {
    const memory = budgetOf(1_000);
    const idle = memory.grant('training over tiny', idleMegabytes * megabyte);
    let isFreed = false;
    idle.setIdle(async () => {
      isFreed = true;
      idle.release();
    });
    const { inference } = openTiny({ memory });
    await tokensFrom(inference, 1);
    const bytes = memory.bytesMax - memory.freeBytes - (isFreed ? 0 : idle.bytes);
    await inference.close();
    return { bytes, isFreed };
  };
  const { bytes } = await sizeBeside(0);
  expect(await sizeBeside(100)).toEqual({ bytes, isFreed: false });
  expect(await sizeBeside(900)).toEqual({ bytes, isFreed: true });
});

test('the function that makes room frees what others do not need now before it closes models', async () => {
  const memory = budgetOf(1_000);
  const { inference } = openTiny({ memory });
  await tokensFrom(inference, 1);
  const idle = memory.grant('training over tiny', megabyte);
  idle.setIdle(async () => idle.release());
  const before = memory.freeBytes;
  const makeRoom = inference.roomMaker();
  expect([await makeRoom(), memory.freeBytes]).toEqual([true, before + megabyte]);
  expect(modelProcesses()).toHaveLength(1);
  await inference.close();
});
