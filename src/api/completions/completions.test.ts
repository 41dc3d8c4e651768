import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { completionInputs } from '../../contract/completions/inputs.ts';
import { usualCompletion } from '../../providers/testing/stub-provider.ts';
import { providerProject } from '../testing/provider-project.ts';

const project = providerProject();

const messages = [{ role: 'user', content: 'Hello' }];
const tiny = { model: 'heddle/tiny', messages, max_tokens: 4 };
const stubModel = { model: 'custom::stub::one', messages };

const create = (inputs: object, more: object = {}) =>
  project.server.post('/completions/create', { project_id: project.name, inputs, ...more });
const stream = (inputs: object, more: object = {}) =>
  project.server.post('/completions/create_stream', { project_id: project.name, inputs, ...more });
const callOf = async (id: string) =>
  (await project.server.post('/call/read', { project_id: project.name, id })).json.call;
const countCalls = async () =>
  (await project.server.post('/calls/query_stats', { project_id: project.name })).json.count;

const setSecret = (name: string, value: string, of = project.name) =>
  askRunning(readConfig({ data: project.server.data }, {}), 'secrets.set', { name, value, project: of });

describe('/completions/create', () => {
  test("answers with heddle's model and records a call with tokens and usage", async () => {
    const { status, json } = await create({ ...tiny, temperature: null, stream: null }, { wb_user_id: null });
    expect(status).toBe(200);
    expect(json).toEqual({
      response: expect.objectContaining({ object: 'chat.completion', model: 'heddle/tiny' }),
      weave_call_id: expect.any(String),
      span_id: json.weave_call_id,
      trace_id: expect.any(String),
      conversation_id: null,
    });
    const call = await callOf(json.weave_call_id);
    expect(call).toMatchObject({
      op_name: 'weave.completions_create',
      trace_id: json.trace_id,
      inputs: tiny,
      output: {
        id: json.response.id,
        choices: [{ token_ids: expect.any(Array), logprobs: { content: expect.any(Array) } }],
      },
      attributes: { heddle: { model: { name: 'heddle/tiny' }, sampling: { max_tokens: 4 } } },
      summary: { usage: { 'heddle/tiny': { requests: 1, completion_tokens: 4 } } },
      exception: null,
    });
    expect(Object.keys(call.inputs)).toEqual(Object.keys(tiny));
  });

  test('accepts null for unset fields, as the SDK sends it', async () => {
    const unset = Object.fromEntries(Object.keys(completionInputs.shape).map((name) => [name, null]));
    const { status, json } = await create({ ...unset, ...tiny }, { inference_route: null, source: null });
    expect([status, json.response.object]).toEqual([200, 'chat.completion']);
    expect((await callOf(json.weave_call_id)).inputs).toEqual(tiny);
  });

  test('records nothing if the call is not tracked [evaluations 146]', async () => {
    const { json } = await create(tiny, { track_llm_call: false });
    expect(json).toMatchObject({ weave_call_id: null, span_id: null, trace_id: null, conversation_id: null });
    expect(json.response.choices).toHaveLength(1);
    expect(await countCalls()).toBe(0);
  });

  test('answers 200 with an error for an unknown model without a key [evaluations 145]', async () => {
    for (const model of ['no-such-model', 'gpt-4o', 'custom::no::model']) {
      const { status, json } = await create({ model, messages });
      expect([status, json.response]).toEqual([200, { error: expect.any(String) }]);
      expect((await callOf(json.weave_call_id)).exception).toBe(json.response.error);
    }
    expect((await create({ model: 'gpt-4o', messages })).json.response.error).toMatch(/OPENAI_API_KEY is not set/);
  });

  test("returns the provider's error message", async () => {
    await project.publishProvider(['one']);
    project.stub.answers.push({ status: 400, json: { error: { message: 'Too hot' } } });
    const { status, json } = await create(stubModel);
    expect([status, json.response]).toEqual([200, { error: `${project.stub.host} answered 400: Too hot` }]);
  });

  test('places the call in a trace and a conversation', async () => {
    const parent = await create(tiny);
    const conversation = { conversation_id: randomUUID(), conversation_name: 'chat', source: 'playground' };
    const { json } = await create(tiny, { parent_id: parent.json.weave_call_id, ...conversation });
    expect(json).toMatchObject({ trace_id: parent.json.trace_id, conversation_id: conversation.conversation_id });
    expect(await callOf(json.weave_call_id)).toMatchObject({
      parent_id: parent.json.weave_call_id,
      thread_id: conversation.conversation_id,
      attributes: { completion: conversation },
    });
    const traceId = randomUUID();
    expect((await create(tiny, { trace_id: traceId })).json.trace_id).toBe(traceId);
  });

  test('rejects invalid bodies and invalid call ids', async () => {
    expect((await create({ messages })).status).toBe(422);
    expect((await create({ ...tiny, temperature: 'hot' })).status).toBe(422);
    expect((await create(tiny, { parent_id: 'x'.repeat(300) })).status).toBe(400);
    const route = { connection_type: 'dedicated', connection: 'c', base_url: 'http://127.0.0.1' };
    expect((await create(tiny, { inference_route: route })).json.reason).toMatch(/inference_route is not supported/);
    expect(await countCalls()).toBe(0);
  });

  test('rejects publishing and calling a provider with a private address [evaluations 150]', async () => {
    const val = { base_url: 'http://127.0.0.1', api_key_name: '' };
    const obj = { project_id: project.name, object_id: 'stub', val, builtin_object_class: 'Provider' };
    expect(await project.server.post('/obj/create', { obj })).toMatchObject({ status: 400 });
    const named = { ...obj, val: { ...val, base_url: project.stub.url } }; // in HEDDLE_PROVIDER_HOSTS
    expect(await project.server.post('/obj/create', { obj: named })).toMatchObject({ status: 200 });
    await project.renew();
    await project.publishProvider(['one'], { base_url: 'http://127.0.0.1:1/v1' });
    expect((await create(stubModel)).json.response.error).toMatch(/127\.0\.0\.1 is a private address/);
  });

  test('renders a prompt of the project [evaluations 147 148]', async () => {
    await project.publishProvider(['one']);
    const prompt = await project.publish('greeting', {
      ...{ _type: 'MessagesPrompt', _class_name: 'MessagesPrompt', _bases: ['Prompt', 'Object', 'BaseModel'] },
      messages: [{ role: 'user', content: 'Hello {name}' }],
    });
    const inputs = { model: 'custom::stub::one', prompt };
    expect((await create({ ...inputs, template_vars: { name: 'Ann' } })).json.response).toEqual(usualCompletion);
    expect(project.stub.received[0]!.body.messages).toEqual([{ role: 'user', content: 'Hello Ann' }]);
    const missing = await create({ ...inputs, template_vars: {} });
    expect([missing.status, missing.json.response.error]).toEqual([200, expect.stringMatching(/'name' not found/)]);
  });

  test('the key of a project is sent only to its provider and appears in no call, response or other project', async () => {
    await project.publishProvider(['one'], { api_key_name: 'STUB_KEY' });
    await setSecret('STUB_KEY', 'sk-recognizable');
    const { json, text } = await create({ ...stubModel, extra_headers: { 'x-own': 'sk-of-the-client' } });
    expect(project.stub.received[0]!.headers).toMatchObject({
      authorization: 'Bearer sk-recognizable',
      'x-own': 'sk-of-the-client',
    });
    expect(text + JSON.stringify(await callOf(json.weave_call_id))).not.toMatch(/sk-recognizable|sk-of-the-client/);
    await project.renew();
    await project.publishProvider(['one'], { api_key_name: 'STUB_KEY' });
    expect((await create(stubModel)).json.response.error).toMatch(/the secret STUB_KEY is not set/);
    expect(project.stub.received).toHaveLength(1);
  });
});

describe('/completions/create_stream', () => {
  test('starts with the ids of the call, and records the complete response [evaluations 149]', async () => {
    const { headers, lines, text } = await stream(tiny);
    expect(headers.get('content-type')).toMatch('application/jsonl');
    expect(text.endsWith('\n')).toBe(true);
    const [{ _meta }, ...chunks] = lines;
    expect(_meta).toEqual({
      weave_call_id: expect.any(String),
      span_id: _meta.weave_call_id,
      trace_id: expect.any(String),
      conversation_id: null,
    });
    const answer = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
    await vi.waitFor(async () => {
      expect(await callOf(_meta.weave_call_id)).toMatchObject({
        output: { choices: [{ message: { content: answer }, token_ids: expect.any(Array) }] },
        attributes: { heddle: { model: { name: 'heddle/tiny' }, sampling: { max_tokens: 4 } } },
        summary: { usage: { 'heddle/tiny': { completion_tokens: 4 } } },
        ended_at: expect.any(String),
      });
    });
  });

  test('has only chunks if the call is not tracked', async () => {
    const { lines } = await stream(tiny, { track_llm_call: false });
    expect(lines.every((line) => line.object === 'chat.completion.chunk')).toBe(true);
    expect(await countCalls()).toBe(0);
  });

  test('is one line with the error if the model does not answer', async () => {
    const { status, lines } = await stream({ model: 'no-such-model', messages });
    expect([status, lines]).toEqual([200, [{ error: expect.stringMatching(/no model/) }]]);
  });

  test('ends with an error if the provider stops early, and records the partial response', async () => {
    await project.publishProvider(['one']);
    const event = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hel' } }] };
    project.stub.answers.push({ events: [event], isCut: true });
    const { lines } = await stream(stubModel);
    expect(lines).toEqual([
      { _meta: expect.anything() },
      event,
      { error: expect.stringMatching(/closed the connection/) },
    ]);
    await vi.waitFor(async () => {
      expect(await callOf(lines[0]._meta.weave_call_id)).toMatchObject({
        exception: lines[2].error,
        output: { choices: [{ message: { content: 'Hel' } }] },
      });
    });
  });

  test('a client disconnect ends the request and is recorded in its call', async () => {
    await project.publishProvider(['one']);
    let isGone = false;
    project.stub.answers.push((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'Hel' } }] })}\n\n`);
      request.socket.on('close', () => {
        isGone = true;
      });
    });
    const client = new AbortController();
    const answer = await fetch(`${project.server.url}/completions/create_stream`, {
      method: 'POST',
      headers: { authorization: `Bearer ${project.server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: project.name, inputs: stubModel }),
      signal: client.signal,
    });
    await answer.body!.getReader().read();
    await sleep(50);
    client.abort();
    await vi.waitFor(() => expect(isGone).toBe(true));
    await vi.waitFor(async () => {
      const { lines } = await project.server.post('/calls/stream_query', { project_id: project.name });
      expect(lines[0]).toMatchObject({
        exception: 'The client hung up.',
        output: { choices: [{ message: { content: 'Hel' } }] },
      });
    });
  });
});
