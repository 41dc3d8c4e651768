import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { type Heddle, startHeddle } from '../harness/heddle.ts';
import { eventsOf, newModel, sampledGroups } from '../training/training-jobs.ts';
import { untilReady } from './vllm-server.ts';

const url = inject('vllm');
const tinyFolder = join(import.meta.dirname, '../../assets/tiny-model');
const hi = [{ role: 'user', content: 'Hi' }];

describe.skipIf(url === null)('heddle with a real vLLM server', () => {
  let heddle: Heddle;
  /** Another heddle, whose own engine runs the same model. */
  let own: Heddle;
  /** Another one, which has no files of the models of the server. */
  let bare: Heddle;
  let adapters: string;

  beforeAll(async () => {
    await untilReady(url!);
    adapters = mkdtempSync(join(tmpdir(), 'heddle-adapters-'));
    const settings = {
      HEDDLE_VLLM_URL: url!,
      HEDDLE_VLLM_MODELS: `tiny=${tinyFolder},heddle/tiny=${tinyFolder}`,
      HEDDLE_VLLM_ADAPTERS: adapters,
      HEDDLE_VLLM_PROMPT_LOGPROBS: 'false', // they end vLLM on a CPU where adapters can be loaded
    };
    const { HEDDLE_VLLM_MODELS: _, ...withoutFiles } = settings;
    [heddle, own, bare] = await Promise.all([
      startHeddle(undefined, settings),
      startHeddle(),
      startHeddle(undefined, withoutFiles),
    ]);
  });
  afterAll(async () => {
    await Promise.all([heddle?.close(), own?.close(), bare?.close()]);
    if (adapters) rmSync(adapters, { recursive: true });
  });

  const chat = (server: Heddle, body: object) =>
    server.post('/v1/chat/completions', {
      model: 'heddle/tiny',
      messages: hi,
      temperature: 0,
      max_tokens: 20,
      ...body,
    });

  const metricsOfServer = async () => (await fetch(`${url}/metrics`)).text();

  test('lists the models of the server with their context', async () => {
    const { data } = (await heddle.get('/v1/models')).json;
    const listed = Object.fromEntries(data.map((model: { id: string }) => [model.id, model]));
    expect(listed.tiny).toMatchObject({ max_model_len: 1024 });
    expect(Object.keys(listed).toSorted()).toEqual(['heddle/tiny', 'tiny']);
  });

  test('answers as its own engine does, token by token', async () => {
    const asked = { logprobs: true, top_logprobs: 2, return_token_ids: true };
    const [there, here] = await Promise.all([chat(heddle, asked), chat(own, asked)]);
    const [a, b] = [there.json.choices[0], here.json.choices[0]];
    expect(there.json.prompt_token_ids).toEqual(here.json.prompt_token_ids);
    expect([a.message, a.token_ids, a.finish_reason]).toEqual([b.message, b.token_ids, b.finish_reason]);
    for (const [i, { token, logprob, top_logprobs }] of a.logprobs.content.entries()) {
      const other = b.logprobs.content[i];
      expect(token).toBe(other.token);
      expect(logprob).toBeCloseTo(other.logprob, 4);
      expect(top_logprobs.map((each: { token: string }) => each.token)).toEqual(
        other.top_logprobs.map((each: { token: string }) => each.token),
      );
    }
  });

  test('a seed gives what the server gives for it, choice by choice', async () => {
    const asked = { temperature: 1, seed: 11, n: 2, return_token_ids: true, ignore_eos: true, max_tokens: 12 };
    const { json } = await chat(heddle, asked);
    const direct = await fetch(`${url}/v1/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny', prompt: json.prompt_token_ids, ...asked }),
    });
    const { choices } = (await direct.json()) as { choices: { token_ids: number[] }[] };
    const idsOf = (all: { token_ids: number[] }[]) => all.map(({ token_ids }) => token_ids);
    expect(idsOf(json.choices)).toEqual(idsOf(choices));
  });

  test('a model without files here answers as the same one with files, token by token', async () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, 'Who are you?'] }];
    const asked = { model: 'tiny', messages, logprobs: true, top_logprobs: 2, return_token_ids: true };
    const [without, here] = await Promise.all([chat(bare, asked), chat(heddle, asked)]);
    const [a, b] = [without.json.choices[0], here.json.choices[0]];
    expect(without.json.prompt_token_ids).toEqual(here.json.prompt_token_ids);
    expect([a.message, a.token_ids, a.finish_reason]).toEqual([b.message, b.token_ids, b.finish_reason]);
    expect(a.logprobs.content).toHaveLength(a.token_ids.length);
    for (const [i, { logprob, top_logprobs }] of a.logprobs.content.entries()) {
      expect(logprob).toBeCloseTo(b.logprobs.content[i].logprob, 4);
      expect(top_logprobs).toHaveLength(2);
    }
  });

  test('a model without files here has formats, calls, texts and tokens', async () => {
    const format = { response_format: { type: 'json_object' }, max_tokens: 100 };
    const { json } = await chat(bare, { model: 'tiny', ...format });
    expect(JSON.parse(json.choices[0].message.content)).toEqual(expect.any(Object));
    const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }];
    const free = await chat(bare, { model: 'tiny', tools, return_token_ids: true, logprobs: true });
    const [choice] = free.json.choices;
    expect(choice.logprobs.content).toHaveLength(choice.token_ids.length);
    const parameters = { type: 'object', properties: { city: { enum: ['Rome', 'Oslo'] } }, required: ['city'] };
    const weather = { ...tools[0]!, function: { name: 'weather', parameters } };
    const called = await chat(bare, { model: 'tiny', tools: [weather], tool_choice: 'required', max_tokens: 100 });
    const [call] = called.json.choices[0].message.tool_calls;
    expect(['Rome', 'Oslo']).toContain(JSON.parse(call.function.arguments).city);
    const text = await bare.post('/v1/completions', { model: 'tiny', prompt: 'Hi', max_tokens: 3, logprobs: 1 });
    expect(text.json.choices[0].logprobs.tokens).toHaveLength(3);
    const [there, here] = await Promise.all(
      [bare, heddle].map((server) => server.post('/tokenize', { model: 'tiny', messages: hi })),
    );
    expect(there!.json.tokens).toEqual(here!.json.tokens);
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    const refused = await chat(heddle, { model: 'tiny', messages: [{ role: 'user', content: [image] }] });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/multimodal|image/i) } },
    });
  });

  test.each([
    ['with', () => heddle],
    ['without', () => bare],
  ] as const)('a chat with a model %s files here is recorded with all that training reads', async (_, at) => {
    const server = at();
    const project = server.newProject();
    const asked = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        'X-Heddle-Project': project,
      },
      body: JSON.stringify({ model: 'tiny', messages: hi, stream: true, max_tokens: 8 }),
    });
    await asked.text();
    const call = await vi.waitFor(async () => {
      const { lines } = await server.post('/calls/stream_query', { project_id: project });
      expect(lines).toHaveLength(1);
      return lines[0];
    });
    const [choice] = call.output.choices;
    expect(call.exception).toBeNull();
    expect(call.output.prompt_token_ids.length).toBeGreaterThan(3);
    expect(choice.logprobs.content).toHaveLength(choice.token_ids.length);
    expect(call.attributes.heddle.sampling).toMatchObject({ temperature: 1, max_tokens: 8, seed: null });
  });

  test('constraints hold, also beyond ASCII and for required calls', async () => {
    const pattern = await chat(heddle, { structured_outputs: { regex: '[а-я]{2}' }, temperature: 1 });
    expect(pattern.json.choices[0].message.content).toMatch(/^[а-я]{2}$/);
    const parameters = {
      ...{ type: 'object', properties: { city: { type: 'string', maxLength: 10 } } },
      ...{ required: ['city'], additionalProperties: false },
    };
    const tools = [{ type: 'function', function: { name: 'weather', parameters } }];
    const { json } = await chat(heddle, { tools, tool_choice: 'required', max_tokens: 100 });
    const [call] = json.choices[0].message.tool_calls;
    expect(call.function.name).toBe('weather');
    expect(Object.keys(JSON.parse(call.function.arguments))).toEqual(['city']);
  });

  test('what the server cannot do is refused by name', async () => {
    const refused = await chat(heddle, { prompt_logprobs: 1 });
    expect(refused).toMatchObject({
      status: 400,
      json: { error: { message: expect.stringMatching(/prompt_logprobs/) } },
    });
    const texts = await heddle.post('/v1/embeddings', { model: 'tiny', input: 'Hi' });
    expect(texts).toMatchObject({ status: 400, json: { error: { message: expect.stringMatching(/do not embed/) } } });
  });

  test('a client that hangs up ends its request at the server', async () => {
    const leaving = new AbortController();
    const asked = fetch(`${heddle.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${heddle.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'tiny', messages: hi, stream: true, ignore_eos: true, max_tokens: 1000 }),
      signal: leaving.signal,
    });
    const reader = (await asked).body!.getReader();
    await reader.read();
    leaving.abort();
    await vi.waitFor(
      async () => expect(await metricsOfServer()).toMatch(/num_requests_running\{[^}]*model_name="tiny"\} 0\.0/),
      { timeout: 10_000 },
    );
  });

  test('a trained model is served by the server as soon as it is trained', async () => {
    const project = heddle.newProject();
    const model = await newModel(heddle, project);
    const trajectory_groups = await sampledGroups(heddle, 1);
    const experimental_config = { learning_rate: 1e-2, packed_sequence_length: 64 };
    const { json } = await heddle.post('/v1/preview/training-jobs', {
      model_id: model,
      trajectory_groups,
      experimental_config,
    });
    await vi.waitFor(async () => expect((await eventsOf(heddle, json.id)).at(-1)?.type).toBe('training_ended'), {
      timeout: 120_000,
      interval: 200,
    });
    const messages = [{ role: 'user', content: 'Say yes, no or maybe.' }];
    // What is learned depends on the sampled answers, so a single token may hardly change.
    type Token = { token: string; logprob: number };
    const answered = async (name: string): Promise<Token[]> => {
      const body = { model: name, messages, max_tokens: 16, ignore_eos: true, logprobs: true };
      return (await chat(heddle, body)).json.choices[0].logprobs.content;
    };
    const difference = (one: Token[], other: Token[]) =>
      Math.max(
        ...one.map(({ token, logprob }, i) => (token === other[i]!.token ? Math.abs(logprob - other[i]!.logprob) : 1)),
      );
    const base = await answered('heddle/tiny');
    expect(difference(base, await answered('heddle/tiny'))).toBeLessThan(1e-3);
    expect(difference(base, await answered(`wandb-artifact:///${project}/agent:step1`))).toBeGreaterThan(1e-3);
    const listed = (await (await fetch(`${url}/v1/models`)).json()) as {
      data: { id: string; parent: string | null }[];
    };
    expect(listed.data.filter(({ parent }) => parent !== null).map(({ id }) => id)).toContainEqual(
      expect.stringMatching(/agent-step1-[0-9a-f]{16}$/),
    );
  });
});
