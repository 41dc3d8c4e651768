import { describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import type { ResponseBody } from '../../contract/responses/response.ts';
import { bad, encode, malformed, withoutSpaces } from '../chat/testing/chat.ts';
import { queryCalls } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const path = '/v1/responses';
const base = { model: 'heddle/tiny', input: 'Hi', max_output_tokens: 8, temperature: 0 };
type Fields = Record<string, unknown>;
type Answered = any;

const send = (more: Fields = {}, headers: Record<string, string> = {}) =>
  server.post(path, { ...base, ...more }, { headers });

async function respond(more: Fields = {}, headers: Record<string, string> = {}): Promise<ResponseBody> {
  const { status, json, text } = await send(more, headers);
  if (status !== 200) throw new Error(`refused: ${status} ${text}`);
  return json;
}

async function refusal(more: Fields) {
  const { status, json } = await send(more);
  return { status, error: json?.error, detail: json?.detail };
}

async function eventsOf(more: Fields = {}, headers: Record<string, string> = {}): Promise<Answered[]> {
  const { text } = await send({ ...more, stream: true }, headers);
  const frames = text.split('\n\n').filter((each) => each !== '');
  return frames.map((each) => {
    const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(each)!;
    const event = JSON.parse(data!);
    expect(event.type).toBe(name);
    return event;
  });
}

const textOf = ({ output }: Answered): string => output.at(-1).content[0].text;
const read = async (id: string) => server.get(`${path}/${id}`);

async function chatText(messages: unknown[], more: Fields = {}): Promise<string> {
  const asked = { messages, max_tokens: 8, temperature: 0, ...more };
  return (await server.post('/v1/chat/completions', asked)).json.choices[0].message.content;
}

const city = { type: 'object', properties: { city: { enum: ['Paris'] } }, required: ['city'] };
const weather = { type: 'function', name: 'weather', parameters: city };
const calling = {
  ...withoutSpaces,
  tools: [weather],
  tool_choice: 'required',
  parallel_tool_calls: false,
  max_output_tokens: 200,
};

test('answers a text in the shape of OpenAI, with what a chat answers [chat 202]', async () => {
  const json = await respond({ metadata: { a: 'b' }, instructions: 'Be brief', user: 'u' });
  expect(json).toMatchObject({
    id: expect.stringMatching(/^resp_[0-9a-f]{32}\w+$/),
    object: 'response',
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    error: null,
    instructions: 'Be brief',
    max_output_tokens: 8,
    metadata: { a: 'b' },
    model: 'heddle/tiny',
    parallel_tool_calls: true,
    previous_response_id: null,
    store: true,
    temperature: 0,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    truncation: 'disabled',
    user: 'u',
  });
  expect(json.output).toEqual([
    {
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      status: 'incomplete',
      content: [{ type: 'output_text', text: expect.any(String), annotations: [], logprobs: [] }],
    },
  ]);
  const messages = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Hi' },
  ];
  expect(textOf(json)).toBe(await chatText(messages));
  const { input_tokens: prompt, output_tokens: written, total_tokens: total } = json.usage!;
  expect([written, total]).toEqual([8, prompt + 8]);
});

test('reads messages of all roles and forms as a chat does [chat 203]', async () => {
  const input = [
    { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief' }] },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', type: 'message', content: [{ type: 'output_text', text: 'Yes?', annotations: [] }] },
    { role: 'user', content: [{ type: 'input_text', text: 'Go on' }] },
  ];
  const messages = [
    { role: 'system', content: 'Be brief' },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Yes?' },
    { role: 'user', content: 'Go on' },
  ];
  expect(textOf(await respond({ input }))).toBe(await chatText(messages));
});

test.each([
  [{ input: 5 }, malformed('input')],
  [{ input: [] }, bad('input')],
  [{ input: [{ type: 'web_search_call', id: 'x' }] }, bad('input', /web_search_call/)],
  [{ input: [{ type: 'function_call', name: 'f' }] }, bad('input', /call_id/)],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, bad('input', /not found/)],
  [{ tools: [{ type: 'web_search' }] }, bad('tools', /hosted/)],
  [{ tools: [{ type: 'function' }] }, bad('tools', /name/)],
  [{ tool_choice: { type: 'web_search_preview' } }, bad('tool_choice', /hosted/)],
  [{ tool_choice: 'required' }, bad('tool_choice')],
  [{ tool_choice: 7 }, malformed('tool_choice')],
  [{ include: ['all'] }, bad('include')],
  [{ conversation: 'conv_1' }, bad('conversation')],
  [{ prompt: { id: 'pmpt_1' } }, bad('prompt')],
  [{ text: { format: { type: 'json_schema', name: 'x' } } }, bad('text')],
  [{ top_logprobs: 21 }, bad('top_logprobs')],
  [{ top_logprobs: -1 }, bad('top_logprobs')],
  [{ max_output_tokens: 0 }, bad('max_output_tokens', /^max_output_tokens/)],
  [{ background: true, store: false }, bad('background')],
  [{ background: true, stream: true }, bad('background')],
  [{ truncation: 'some' }, malformed('truncation')],
])('%j is refused with the reason [chat 204]', async (more, expected) => {
  expect(await refusal(more)).toEqual(expected);
});

test('limits metadata to 16 keys of 64 characters with values of 512 [chat 204]', async () => {
  const keys = Array.from({ length: 17 }, (_, i) => [`key${i}`, 'x']);
  for (const metadata of [Object.fromEntries(keys), { ['k'.repeat(65)]: 'x' }, { a: 'x'.repeat(513) }]) {
    expect(await refusal({ metadata })).toEqual(bad('metadata'));
  }
});

test('holds the text to a format, and reports logprobs where asked [chat 205]', async () => {
  const schema = { type: 'object', properties: { n: { enum: [1, 2] } }, required: ['n'], additionalProperties: false };
  const format = { type: 'json_schema', name: 'answer', schema, strict: true };
  const held = await respond({ text: { format }, max_output_tokens: 60, ...withoutSpaces });
  expect([1, 2]).toContain(JSON.parse(textOf(held)).n);
  expect(held.text).toEqual({ format });
  const withLogprobs = await respond({ include: ['message.output_text.logprobs'], top_logprobs: 2 });
  const [{ text, logprobs }] = (withLogprobs.output[0] as Answered).content;
  expect(logprobs.map(({ token }: { token: string }) => token).join('')).toBe(text);
  expect(logprobs[0].top_logprobs).toHaveLength(2);
});

describe('functions', () => {
  test('are called, and their outputs are read as those of a chat [chat 206]', async () => {
    const called = await respond(calling);
    const [call] = called.output as Answered[];
    expect(call).toMatchObject({ type: 'function_call', name: 'weather', status: 'completed', id: expect.any(String) });
    expect(JSON.parse(call.arguments)).toEqual({ city: 'Paris' });
    expect(called).toMatchObject({ status: 'completed', tools: [{ ...weather, description: null, strict: false }] });
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'sunny' };
    const input = [{ role: 'user', content: 'Hi' }, call, output];
    const after = await respond({ input, tools: [weather], tool_choice: 'none' });
    const { name, arguments: args } = call;
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [{ id: call.call_id, type: 'function', function: { name, arguments: args } }] },
      { role: 'tool', tool_call_id: call.call_id, content: 'sunny' },
    ];
    const tools = [{ type: 'function', function: { name, parameters: city } }];
    expect(textOf(after)).toBe(await chatText(messages, { tools, tool_choice: 'none' }));
  });

  test('are limited to those that tool_choice allows [chat 206]', async () => {
    const other = { ...weather, name: 'time' };
    const chosen = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'time' }] };
    for (const tool_choice of [chosen, { type: 'function', name: 'time' }]) {
      const { output } = await respond({ ...calling, tools: [weather, other], tool_choice });
      expect(output).toMatchObject([{ name: 'time' }]);
    }
  });
});

describe('a stream', () => {
  test('has the events of a text in the order that the SDKs expect [chat 207]', async () => {
    const whole = await respond();
    const events = await eventsOf();
    expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, i) => i));
    const names = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
    expect(names).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
    expect(deltas.map(({ delta }) => delta).join('')).toBe(textOf(whole));
    const { response } = events.at(-1);
    expect(response.usage).toEqual(expect.objectContaining({ output_tokens: 8 }));
    const [item] = response.output;
    expect(deltas.every((each) => each.item_id === item.id && each.output_index === 0)).toBe(true);
    expect(events.find(({ type }) => type === 'response.output_item.done').item).toEqual(item);
    expect(events[0].response).toMatchObject({ id: response.id, status: 'in_progress', output: [], usage: null });
  });

  test('has the events of a function call [chat 207]', async () => {
    const events = await eventsOf(calling);
    const names = events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1]);
    expect(names.slice(2)).toEqual([
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta');
    const [{ arguments: args, call_id: callId }] = events.at(-1).response.output;
    expect(deltas.map(({ delta }) => delta).join('')).toBe(args);
    expect(events[2].item).toMatchObject({ type: 'function_call', name: 'weather', call_id: callId, arguments: '' });
  });

  test('that is refused is an answer in JSON [chat 207]', async () => {
    expect(await refusal({ stream: true, temperature: 3 })).toEqual(bad('temperature'));
  });
});

describe('a stored response', () => {
  test('is read as it was answered, whole or streamed, at once and after [chat 210]', async () => {
    const exact = { ...weather, parameters: { type: 'object', properties: { n: { type: 'number', maximum: 1 } } } };
    const whole = await send({ tools: [exact], metadata: { k: 'v' } });
    expect((await read(whole.json.id)).json).toEqual(whole.json);
    const events = await eventsOf();
    expect((await read(events[0].response.id)).json).toEqual(events.at(-1).response);
  });

  test('is the call of its project, with everything that a chat records [chat 211]', async () => {
    const project = await server.newProject();
    const { id, output } = await respond({}, { 'X-Heddle-Project': project });
    const { calls } = await queryCalls(server, project);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({
      op_name: 'heddle.responses',
      inputs: base,
      output: { id, output },
      attributes: {
        heddle: { model: { name: 'heddle/tiny' }, sampling: { temperature: 0 }, response: { id, stored: true } },
      },
    });
    expect(calls[0].output.token_ids).toHaveLength(8);
    expect(calls[0].output.logprobs.content).toHaveLength(8);
    expect(calls[0].summary.usage['heddle/tiny']).toMatchObject({ requests: 1, output_tokens: 8 });
    expect((await read(id)).json.id).toBe(id);
  });

  test('is continued with its whole conversation, whose instructions do not carry over [chat 212]', async () => {
    const headers = { 'X-Heddle-Project': await server.newProject(), 'X-Session-ID': 'talk' };
    const first = await respond({ instructions: 'Be brief' }, headers);
    const second = await respond({ input: 'And?', previous_response_id: first.id });
    const third = await respond({ input: 'So?', previous_response_id: second.id });
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: textOf(first) },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: textOf(second) },
      { role: 'user', content: 'So?' },
    ];
    expect(textOf(third)).toBe(await chatText(messages));
    expect(third.previous_response_id).toBe(second.id);
    const { json } = await server.get(`${path}/${third.id}/input_items?order=asc`);
    expect(json.data.map(({ role }: { role: string }) => role)).toEqual(messages.map(({ role }) => role));
    const page = (query: string) => server.get(`${path}/${third.id}/input_items?${query}`);
    const newest = (await page('limit=2')).json;
    expect(newest).toMatchObject({ has_more: true, first_id: json.data[4].id, last_id: json.data[3].id });
    const rest = (await page(`limit=3&after=${newest.last_id}`)).json;
    expect(rest).toMatchObject({ has_more: false, data: json.data.slice(0, 3).reverse() });
    expect((await page('after=msg_x')).status).toBe(400);
    expect((await page('limit=0')).status).toBe(400);
  });

  test('is referred to item by item [chat 213]', async () => {
    const first = await respond();
    const { json } = await server.get(`${path}/${first.id}/input_items`);
    const reference = ({ id }: { id: string }) => ({ type: 'item_reference', id });
    const said = reference(first.output[0] as Answered);
    const input = [reference(json.data[0]), said, { role: 'user', content: 'And?' }];
    const again = await respond({ input });
    expect(textOf(again)).toBe(textOf(await respond({ input: 'And?', previous_response_id: first.id })));
    const { data } = (await server.get(`${path}/${again.id}/input_items?order=asc`)).json;
    expect(data[1]).toMatchObject({ type: 'message', id: said.id });
  });

  test('is deleted with its call, and cannot be read or continued then [chat 214]', async () => {
    const { id } = await respond();
    const deleted = await server.get(`${path}/${id}`, { method: 'DELETE' });
    expect(deleted.json).toEqual({ id, object: 'response', deleted: true });
    const missing = { status: 404, json: { error: { type: 'NotFoundError', message: expect.stringContaining(id) } } };
    expect(await read(id)).toMatchObject(missing);
    expect(await send({ previous_response_id: id })).toMatchObject({
      status: 404,
      json: { error: { param: 'previous_response_id' } },
    });
    for (const unknown of ['resp_x', 'nope', `resp_${'0'.repeat(60)}`]) expect((await read(unknown)).status).toBe(404);
  });

  test('exists only with store, and not for untraced requests [chat 215]', async () => {
    const project = await server.newProject();
    const headers = { 'X-Heddle-Project': project };
    const kept = await respond({ store: false }, headers);
    const untraced = await respond({}, { ...headers, 'X-Heddle-Trace': 'off' });
    for (const { id, store } of [kept, untraced]) {
      expect(store).toBe(false);
      expect((await read(id)).status).toBe(404);
    }
    await expect.poll(async () => (await queryCalls(server, project)).calls.length, { timeout: 10_000 }).toBe(1);
    expect((await read(kept.id)).status).toBe(404);
  });
});

describe('a conversation that is too long', () => {
  const long = [
    { role: 'system', content: 'Be brief' },
    ...Array.from({ length: 30 }, (_, i) => [
      { role: 'user', content: `Question ${i} ${'word '.repeat(20)}` },
      { role: 'assistant', content: `Answer ${i}` },
    ]).flat(),
    { role: 'user', content: 'Hi' },
  ];

  test('is refused, and with truncation auto loses as few of its first turns as possible [chat 216]', async () => {
    expect(await refusal({ input: long })).toEqual(bad('input_tokens', /context length/));
    const { usage } = await respond({ input: long, truncation: 'auto' });
    const turn = encode(`Question 10 ${'word '.repeat(20)}`).length + encode('Answer 10').length;
    expect(usage!.input_tokens).toBeLessThanOrEqual(1024 - 8);
    expect(usage!.input_tokens).toBeGreaterThan(1024 - 8 - turn - 20);
  });

  test('is refused where its last turn alone is too long [chat 216]', async () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'word '.repeat(2000) },
    ];
    expect(await refusal({ input, truncation: 'auto' })).toEqual(bad('input_tokens', /context length/));
  });
});

describe('in the background', () => {
  const ended = (id: string) => expect.poll(async () => (await read(id)).json.status, { timeout: 20_000 });

  test('a response is acknowledged first and read when it has ended [chat 217]', async () => {
    const acknowledged = await respond({ background: true });
    expect(acknowledged).toMatchObject({
      background: true,
      status: expect.stringMatching(/queued|in_progress/),
      output: [],
    });
    await ended(acknowledged.id).toBe('incomplete');
    const { json } = await read(acknowledged.id);
    expect(textOf(json)).toBe(textOf(await respond()));
    const after = await server.post(`${path}/${acknowledged.id}/cancel`, undefined);
    expect(after.json).toEqual(json);
  });

  test('a response is never shown as failed while it ends [chat 217]', async () => {
    for (let i = 0; i < 10; i++) {
      const { id } = await respond({ background: true, max_output_tokens: 2 });
      const statuses = new Set<string>();
      const isRunning = () => !statuses.has('incomplete') && !statuses.has('failed');
      const poll = async () => {
        while (isRunning()) statuses.add((await read(id)).json.status);
      };
      await Promise.all([poll(), poll(), poll(), poll()]);
      expect(statuses).not.toContain('failed');
    }
  });

  test('a response is cancelled, and deleted while it runs [chat 218]', async () => {
    const endless = { background: true, max_output_tokens: 900, ignore_eos: true };
    const { id } = await respond(endless);
    const { status, json } = await server.post(`${path}/${id}/cancel`, undefined);
    expect({ status, shown: json.status }).toEqual({ status: 200, shown: 'cancelled' });
    expect((await read(id)).json.status).toBe('cancelled');
    expect(await send({ previous_response_id: id })).toMatchObject({ status: 400 });
    const other = await respond(endless);
    const { status: refused, error } = await refusal({ previous_response_id: other.id });
    expect({ refused, message: error.message }).toEqual({
      refused: 400,
      message: `The response ${other.id} cannot be continued: its status is in_progress.`,
    });
    await server.get(`${path}/${other.id}`, { method: 'DELETE' });
    expect((await read(other.id)).status).toBe(404);
    const { id: foreground } = await respond();
    expect((await server.post(`${path}/${foreground}/cancel`, undefined)).status).toBe(400);
  });
});

test('other users neither read, continue, cancel nor delete a response [chat 219]', async () => {
  const { id } = await respond();
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'stranger' });
  const { key } = (await askRunning(config, 'keys.create', { user: 'stranger' }))!.answer;
  const requests = [
    () => server.get(`${path}/${id}`, { key }),
    () => server.get(`${path}/${id}/input_items`, { key }),
    () => server.post(`${path}/${id}/cancel`, undefined, { key }),
    () => server.get(`${path}/${id}`, { method: 'DELETE', key }),
    () => server.post(path, { ...base, previous_response_id: id }, { key }),
  ];
  for (const request of requests) expect((await request()).status).toBe(404);
  expect((await read(id)).status).toBe(200);
});
