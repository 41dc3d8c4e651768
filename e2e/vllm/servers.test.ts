import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { chunksOf } from '../../src/inference/vllm/servers/chunks-of.ts';
import { openVllmServers, type VllmServers } from '../../src/inference/vllm/servers/vllm-servers.ts';
import { adapterFolder } from '../harness/adapter-folder.ts';
import { untilReady } from './vllm-server.ts';

const url = inject('vllm');
const never = new AbortController().signal;
/** `Hi` as a chat of the tiny model, which answers with `Hello!` and more. */
const hi = [1, 276, 201, 976, 2, 201, 1, 275, 201];

describe.skipIf(url === null)('a real vLLM server', () => {
  let servers: VllmServers;
  let folder: string;
  beforeAll(async () => {
    await untilReady(url!);
    servers = await openVllmServers({ addresses: [url!], apiKey: null, log: { info() {}, warn() {} } });
    folder = mkdtempSync(join(tmpdir(), 'heddle-vllm-'));
  });
  afterAll(async () => {
    await servers?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  const asked = (body: Record<string, unknown> = {}, more: object = {}) => ({
    model: 'tiny',
    body: { prompt: hi, max_tokens: 8, temperature: 0, return_token_ids: true, ...body },
    affinity: null,
    signal: never,
    ...more,
  });

  async function answer(request: ReturnType<typeof asked>) {
    const chunks = await Array.fromAsync(chunksOf(request, servers.complete));
    const choices = chunks.flatMap((chunk) => chunk.choices);
    return {
      ids: choices.flatMap(({ token_ids }) => token_ids ?? []),
      logprobs: choices.flatMap(({ logprobs }) => logprobs?.token_logprobs ?? []),
      promptIds: choices[0]?.prompt_token_ids,
      usage: chunks.at(-1)?.usage,
    };
  }

  test('is found with its model and its version', () => {
    expect(servers.models()).toMatchObject([
      { name: 'heddle/tiny', servers: [url], contextLength: 1024 },
      { name: 'tiny', servers: [url], contextLength: 1024 },
    ]);
    expect(servers.states()).toMatchObject([
      { circuit: 'closed', version: '0.32.0', answering: { kind: 'one', certainty: expect.closeTo(0.99, 1) } },
    ]);
  });

  test('can do all that is asked of it, and reports raw logprobs', async () => {
    expect(await servers.capabilities('tiny')).toEqual({
      logprobs: 'raw',
      returnsTokenIds: true,
      structuredOutputs: true,
      promptLogprobs: true,
      loadsAdapters: true,
    });
  });

  test('streams ids and logprobs, of which none is missing', async () => {
    const { ids, logprobs, promptIds, usage } = await answer(asked({ logprobs: 0 }));
    expect(ids.slice(0, 2)).toEqual([567, 3]);
    expect(promptIds).toEqual(hi);
    expect(usage).toMatchObject({ prompt_tokens: hi.length, completion_tokens: ids.length });
    const { choices } = await servers.completeWhole(
      asked({ prompt: [...hi, ...ids], max_tokens: 1, prompt_logprobs: 0 }),
    );
    const again = choices[0]!.prompt_logprobs!.slice(hi.length).map((each, i) => each![String(ids[i])]!.logprob);
    expect(again).toHaveLength(logprobs.length);
    for (const [i, logprob] of logprobs.entries()) expect(logprob).toBeCloseTo(again[i]!, 3);
  });

  test.each([
    { n: 3, temperature: 1, seed: 4 },
    { stop: ['can'], max_tokens: 40 },
    { structured_outputs: { choice: ['yes', 'no'] } },
    { max_tokens: 200, temperature: 2, ignore_eos: true },
  ])('has as many ids as tokens with %j', async (body) => {
    const { ids, usage } = await answer(asked({ ...body, logprobs: 0 }));
    expect(ids.length).toBe(usage!.completion_tokens);
  });

  test('refuses an invalid request in its own words', async () => {
    await expect(answer(asked({ temperature: -3 }))).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringMatching(/temperature must be non-negative/),
    });
    await expect(answer(asked({ max_tokens: 5000 }))).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringMatching(/max_model_len=1024/),
    });
  });

  test('streams a chat', async () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4, temperature: 0, return_token_ids: true };
    const chunks = await Array.fromAsync(chunksOf({ ...asked(), body }, servers.chat));
    expect(chunks[0]!.prompt_token_ids).toEqual(hi);
    expect(chunks.flatMap(({ choices }) => choices.flatMap(({ token_ids }) => token_ids ?? []))).toHaveLength(4);
  });

  test('has no embeddings of a model that generates', async () => {
    await expect(servers.embed({ ...asked(), body: { input: [1, 2] } })).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('loads an adapter, uses it, and unloads it', async () => {
    const name = 'vllm-test/one';
    const without = await answer(asked({ logprobs: 0 }));
    await servers.loadAdapter({ model: 'tiny', name, path: adapterFolder });
    await servers.loadAdapter({ model: 'tiny', name, path: adapterFolder });
    const used = await answer(asked({ logprobs: 0 }, { adapter: name }));
    expect(used.logprobs[0]).not.toBeCloseTo(without.logprobs[0]!, 4);
    await servers.check();
    expect(servers.models()).toHaveLength(2);
    // Another process unloads it: it is loaded again.
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    await fetch(`${url}/v1/unload_lora_adapter`, { ...post, body: JSON.stringify({ lora_name: name }) });
    expect((await answer(asked({ logprobs: 0 }, { adapter: name }))).ids).toEqual(used.ids);
    await servers.unloadAdapter(name);
    await expect(answer(asked({}, { adapter: name }))).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('refuses adapters that it cannot load in its own words', async () => {
    cpSync(adapterFolder, folder, { recursive: true });
    const file = join(folder, 'adapter_config.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), r: 64 }));
    await expect(servers.loadAdapter({ model: 'tiny', name: 'large', path: folder })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: 'LoRA rank 64 is greater than max_lora_rank 16.',
    });
    const gone = join(folder, 'gone');
    await expect(servers.loadAdapter({ model: 'tiny', name: 'gone', path: gone })).rejects.toMatchObject({
      kind: 'notFound',
    });
    expect(servers.states()).toMatchObject([{ circuit: 'closed' }]);
  });

  test('counts running requests, and forgets one that is canceled', async () => {
    const canceling = new AbortController();
    const body = { max_tokens: 900, ignore_eos: true, temperature: 1 };
    const chunks = chunksOf(asked(body, { signal: canceling.signal }), servers.complete);
    await chunks.next();
    const running = async () => {
      await servers.check();
      return servers.states()[0]!.running;
    };
    await expect.poll(running).toBe(1);
    expect(servers.states()[0]!.inFlight).toBe(1);
    canceling.abort(new Error('gone'));
    await expect(chunks.next()).rejects.toThrow('gone');
    await expect.poll(running).toBe(0);
  });
});
