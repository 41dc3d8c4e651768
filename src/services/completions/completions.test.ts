import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { contextForFile } from '../../api/testing/context.ts';
import type { Caller } from '../../identity/identity.ts';
import { type StubProvider, startStubProvider, usualCompletion } from '../../providers/testing/stub-provider.ts';
import { openTransport } from '../../providers/transport.ts';
import { type Completions, openCompletions } from './completions.ts';
import { readInputs } from './read-inputs.ts';

const context = contextForFile();
const caller: Caller = { userId: 'u' as never, username: 'ada', isOwner: true, defaultEntity: 'ada' };
let stub: StubProvider;
let completions: Completions;
let owner: { project: { id: never; name: string }; caller: Caller };
let made = 0;

beforeAll(async () => {
  stub = await startStubProvider();
});
afterAll(() => stub.close());
beforeEach(async () => {
  const { identity, services, inference } = context.current;
  stub.received.length = 0;
  stub.answers.length = 0;
  const name = `ada/p${made++}`;
  owner = { project: { id: (await identity.projectForWrite(caller, name)) as never, name }, caller };
  const backoff = { attemptsMax: 2, firstMs: 1, waitMsMax: 10 };
  const transport = openTransport({ privateHosts: stub.host, timeoutMsMax: 5_000, bytesMax: 100_000, backoff });
  completions = openCompletions({ identity, inference, transport }, services);
});

const signal = new AbortController().signal;
const hello = { messages: [{ role: 'user', content: 'Hello' }] };
const request = (inputs: object, of = owner) => ({
  ...of,
  inputs: readInputs({ ...inputs }),
  signal,
  keepsTokens: true,
});
const complete = async (inputs: object) => completions.complete(request(inputs));

async function publish(objectId: string, value: object): Promise<string> {
  const { objects } = context.current.services;
  const of = { projectId: owner.project.id, objectId, value: JSON.stringify(value), caller };
  return `weave:///${owner.project.name}/object/${objectId}:${(await objects.publish(of)).digest}`;
}

/** A custom provider at the stub, with a model. */
async function publishProvider(more: object = {}) {
  const base = { _type: 'Provider', _class_name: 'Provider', _bases: ['Object', 'BaseModel'] };
  const provider = await publish('my-stub', { ...base, base_url: stub.url, api_key_name: 'STUB_KEY', ...more });
  const model = { ...base, _type: 'ProviderModel', _class_name: 'ProviderModel', max_tokens: 100 };
  return publish('my-stub-stub_1', { ...model, name: 'stub/1', provider });
}

const setKey = (value: string, hosts: string[] = []) => {
  const [entity, project] = owner.project.name.split('/');
  return context.current.services.secrets.set(
    { entity: entity!, project: project! },
    { name: 'STUB_KEY', value, hosts },
  );
};

describe('models of heddle', () => {
  test('answer inside the process and record their tokens and parameters', async () => {
    const { response, record } = await complete({
      model: 'heddle/tiny',
      ...hello,
      max_tokens: 4,
      seed: '9007199254740993',
    });
    const answer = JSON.parse(response.text);
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'heddle/tiny',
      choices: [{ finish_reason: 'length' }],
    });
    expect(answer.choices[0].token_ids).toBeNull();
    expect(record.summary).toEqual({
      usage: {
        'heddle/tiny': {
          requests: 1,
          prompt_tokens: expect.any(Number),
          completion_tokens: 4,
          total_tokens: expect.any(Number),
        },
      },
    });
    const { choices, prompt_token_ids } = JSON.parse(record.output!);
    expect(choices[0].token_ids).toHaveLength(4);
    expect(choices[0].logprobs.content).toHaveLength(4);
    expect(prompt_token_ids.length).toBe(answer.usage.prompt_tokens);
    expect(record.attributes).toMatchObject({
      heddle: { model: { name: 'heddle/tiny' }, sampling: { seed: { text: '9007199254740993' }, max_tokens: 4 } },
    });
    expect(stub.received).toEqual([]);
  });

  test('stream chunks that add up to the same', async () => {
    const inputs = { model: 'heddle/tiny', ...hello, max_tokens: 6, temperature: 0 };
    const whole = JSON.parse((await complete(inputs)).response.text);
    const stream = await completions.stream(request(inputs));
    const chunks = [];
    for await (const chunk of stream.chunks) chunks.push(JSON.parse(chunk));
    const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(whole.choices[0].message.content);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(JSON.parse(stream.record().output!).choices[0].message.content).toBe(text);
  });

  test('reject invalid values', async () => {
    const refused = complete({ model: 'heddle/tiny', ...hello, temperature: -1 });
    await expect(refused).rejects.toMatchObject({ kind: expect.stringMatching(/invalidInput|unacceptable/) });
  });

  test('end at the time limit of the request', async () => {
    const slow = complete({ model: 'heddle/tiny', ...hello, max_tokens: 500, timeout: 0.001 });
    await expect(slow).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'heddle/tiny did not respond within 0.001 s.',
    });
  });

  test.each([3e6, '1e12'])('take a time limit of %s s, which is longer than any timer', async (timeout) => {
    const { response } = await complete({ model: 'heddle/tiny', ...hello, max_tokens: 2, timeout });
    expect(JSON.parse(response.text)).toMatchObject({ object: 'chat.completion' });
  });
});

describe('models of a published provider', () => {
  test("receive the request with the project's key, and their response is returned unchanged", async () => {
    await publishProvider({ extra_headers: { 'X-Team': 'a' } });
    await setKey('sk-secret');
    const parameters = {
      temperature: 0.5,
      tools: [{ type: 'function', function: { name: 'f' } }],
      seed: '9007199254740993',
    };
    const inputs = { model: 'custom::my-stub::stub/1', ...hello, ...parameters, top_p: null, stream: null };
    const { response, record } = await complete(inputs);
    expect(JSON.parse(response.text)).toEqual(usualCompletion);
    expect(record).toEqual({
      output: response.text,
      attributes: { heddle: { draws: { from: 'provider' } } },
      summary: { usage: { 'stub/1': { requests: 1, ...usualCompletion.usage } } },
    });
    const [{ path, headers, body }] = stub.received as [StubProvider['received'][number]];
    expect(path).toBe('/v1/chat/completions');
    expect(headers).toMatchObject({ authorization: 'Bearer sk-secret', 'x-team': 'a' });
    expect(body).toEqual({ model: 'stub/1', ...hello, ...parameters, seed: Number(parameters.seed) });
  });

  test('can be named by the ref of their ProviderModel', async () => {
    const ref = await publishProvider({ api_key_name: '' });
    await complete({ model: ref, ...hello });
    expect(stub.received[0]!.headers.authorization).toBeUndefined();
    expect(stub.received[0]!.body.model).toBe('stub/1');
  });

  test('are not called without their secret, and the error names it', async () => {
    await publishProvider();
    await expect(complete({ model: 'custom::my-stub::stub/1', ...hello })).rejects.toMatchObject({
      kind: 'invalidInput',
      message: expect.stringMatching(/the secret STUB_KEY is not set .*heddle secrets set STUB_KEY/),
      extra: { api_key: 'STUB_KEY' },
    });
  });

  test('do not get a key that is meant for another host', async () => {
    await publishProvider();
    await setKey('sk-secret', ['api.example.com']);
    const refused = complete({ model: 'custom::my-stub::stub/1', ...hello });
    await expect(refused).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringMatching(/only to api\.example\.com/),
    });
    expect(stub.received).toEqual([]);
  });

  test.each([
    ['a host', { host: 'internal' }],
    ['a metadata header', { 'Metadata-Flavor': 'Google' }],
    ['a line break', { 'x-a': 'a\r\nb: c' }],
  ])('are not sent headers with %s', async (_what, extra_headers) => {
    await publishProvider({ api_key_name: '' });
    const refused = complete({ model: 'custom::my-stub::stub/1', ...hello, extra_headers });
    await expect(refused).rejects.toMatchObject({ kind: 'invalidInput' });
    expect(stub.received).toEqual([]);
  });

  test('stream: forwards chunks and records the complete response', async () => {
    await publishProvider({ api_key_name: '' });
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'stub-1' },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const call = (part: object) => ({ tool_calls: [{ index: 0, ...part }] });
    const events = [
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk(call({ id: 't', type: 'function', function: { name: 'f', arguments: '{"a"' } })),
      chunk(call({ function: { arguments: ':1}' } }), 'tool_calls'),
      { ...chunk({}), choices: [], usage: usualCompletion.usage },
    ];
    stub.answers.push({ events });
    const stream = await completions.stream(request({ model: 'custom::my-stub::stub/1', ...hello }));
    const chunks = [];
    for await (const each of stream.chunks) chunks.push(JSON.parse(each));
    expect(chunks).toEqual(events);
    expect(stub.received[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    const { output, summary } = stream.record();
    expect(summary).toEqual({ usage: { 'stub/1': { requests: 1, ...usualCompletion.usage } } });
    const tool_calls = [{ id: 't', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }];
    expect(JSON.parse(output!)).toEqual({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'stub-1', usage: usualCompletion.usage },
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          logprobs: null,
          message: { role: 'assistant', content: 'Hello', tool_calls },
        },
      ],
    });
  });

  test('stream: retries without stream_options if the provider rejects them', async () => {
    await publishProvider({ api_key_name: '' });
    stub.answers.push(
      { status: 422, json: { detail: 'Extra inputs: stream_options' } },
      { events: [{ id: 'c', choices: [] }] },
    );
    const stream = await completions.stream(request({ model: 'custom::my-stub::stub/1', ...hello }));
    expect(await Array.fromAsync(stream.chunks)).toEqual(['{"id":"c","choices":[]}']);
    expect(stub.received[1]!.body.stream_options).toBeUndefined();
  });

  test('stream: ends at an error chunk, and removes the key from the error', async () => {
    await publishProvider();
    await setKey('sk-secret');
    stub.answers.push({ events: [{ error: { message: 'Quota of sk-secret used up' } }] });
    const stream = await completions.stream(request({ model: 'custom::my-stub::stub/1', ...hello }));
    await expect(Array.fromAsync(stream.chunks)).rejects.toMatchObject({
      message: `${stub.host} ended the response: Quota of REDACTED used up`,
    });
  });

  test.each([
    ['x-api-key', 'sk-of-the-client'],
    ['authorization', 'Bearer sk-of-the-client'],
  ])('a refusal does not repeat the key that a request brings in %s', async (name, value) => {
    await publishProvider({ api_key_name: '' });
    stub.answers.push({ status: 401, json: { error: { message: 'Unknown key sk-of-the-client' } } });
    const refused = complete({ model: 'custom::my-stub::stub/1', ...hello, extra_headers: { [name]: value } });
    await expect(refused).rejects.toMatchObject({ message: `${stub.host} answered 401: Unknown key REDACTED` });
  });

  test('stream: an interrupted response fails, and the partial response is recorded', async () => {
    await publishProvider({ api_key_name: '' });
    stub.answers.push({ events: [{ id: 'c', choices: [{ index: 0, delta: { content: 'Hel' } }] }], isCut: true });
    const stream = await completions.stream(request({ model: 'custom::my-stub::stub/1', ...hello }));
    await expect(Array.fromAsync(stream.chunks)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(JSON.parse(stream.record().output!).choices[0].message.content).toBe('Hel');
  });
});

describe('routes', () => {
  test.each([['nobody/model'], ['no-such-model'], ['custom::only-provider'], ['custom::no::thing'], ['']])(
    'refuse the model %j',
    async (model) => {
      await expect(complete({ model, ...hello })).rejects.toMatchObject({
        kind: expect.stringMatching(/notFound|invalidInput/),
      });
    },
  );

  test.each([
    ['gpt-4o', 'OPENAI_API_KEY'],
    ['openai/gpt-4o', 'OPENAI_API_KEY'],
    ['dall-e-3', 'OPENAI_API_KEY'],
    ['claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
    ['gemini/gemini-2.5-flash', 'GEMINI_API_KEY'],
    ['mistral-large-latest', 'MISTRAL_API_KEY'],
    ['groq/llama-3.1-8b-instant', 'GROQ_API_KEY'],
    ['grok-4', 'XAI_API_KEY'],
  ])('%s needs the secret %s', async (model, api_key) => {
    await expect(complete({ model, ...hello })).rejects.toMatchObject({ extra: { api_key } });
  });
});

describe('prompts', () => {
  const sent = () => stub.received[0]!.body.messages;
  const prompt = { _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] };
  beforeEach(() => publishProvider({ api_key_name: '' }));

  test.each([['ref'], ['name:version'], ['name']])(
    'come first, named by %s, with variables filled in [evaluations 147]',
    async (how) => {
      const messages = [{ role: 'system', content: 'Answer {who} in {{JSON}} such as {"a": 1}.' }];
      const ref = await publish('my-prompt', { ...prompt, messages });
      const named = { ref, 'name:version': 'my-prompt:v0', name: 'my-prompt' }[how];
      const spoken = [
        { role: 'user', content: [{ type: 'text', text: '{n} for {who}' }] },
        { role: 'assistant', content: '{kept}' },
      ];
      const inputs = { messages: spoken, prompt: named, template_vars: { who: 'Ann', n: { x: 1.0 } } };
      await complete({ model: 'custom::my-stub::stub/1', ...inputs });
      expect(sent()).toEqual([
        { role: 'system', content: 'Answer Ann in {JSON} such as {"a": 1}.' },
        { role: 'user', content: [{ type: 'text', text: '{"x":1} for Ann' }] },
        { role: 'assistant', content: '{kept}' },
      ]);
    },
  );

  test('without variables, messages are sent as they are', async () => {
    const messages = [{ role: 'user', content: 'Say {hello}' }];
    await complete({ model: 'custom::my-stub::stub/1', messages });
    expect(sent()).toEqual(messages);
  });

  test('rejects a variable without a value [evaluations 148]', async () => {
    const messages = [{ role: 'user', content: '{a} {b}' }];
    const refused = complete({ model: 'custom::my-stub::stub/1', messages, template_vars: { a: '1' } });
    await expect(refused).rejects.toMatchObject({
      message: "Prompt template variable 'b' not found. Available variables: a",
    });
  });

  test.each([['nothing'], ['my-stub'], ['weave:///ada/other/object/x:latest'], ['weave:///bad']])(
    'refuses %s as a prompt',
    async (named) => {
      const refused = complete({ model: 'custom::my-stub::stub/1', ...hello, prompt: named });
      await expect(refused).rejects.toMatchObject({ kind: expect.stringMatching(/notFound|invalidInput/) });
    },
  );
});

describe('embeddings', () => {
  const embed = (model: string, ...texts: string[]) => completions.embed({ ...owner, model, texts, signal });

  test('come from a provider, in the order of the texts', async () => {
    await publishProvider();
    await setKey('secret-key');
    const data = [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ];
    stub.answers.push({ json: { data, usage: { prompt_tokens: 2, total_tokens: 2 } } });
    expect(await embed('custom::my-stub::stub_1', 'a', 'b')).toEqual({
      vectors: [
        [1, 0],
        [0, 1],
      ],
      summary: { usage: { 'stub/1': { requests: 1, prompt_tokens: 2, total_tokens: 2 } } },
    });
    expect(stub.received).toMatchObject([{ path: '/v1/embeddings', body: { model: 'stub/1', input: ['a', 'b'] } }]);
    stub.answers.push({ json: { data: data.slice(1) } });
    await expect(embed('custom::my-stub::stub_1', 'a', 'b')).rejects.toThrow(
      'does not have an embedding for each input',
    );
  });

  test("heddle's models do not compute embeddings yet", async () => {
    await expect(embed('heddle/tiny', 'a')).rejects.toThrow('heddle does not compute embeddings yet');
  });
});
