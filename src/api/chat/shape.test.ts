import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';
import { base, chatting, invalid, path } from './testing/chat.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
const { chat, refusal, send } = chatting(() => server);

const textOf = async (more: object) => (await chat(more as Record<string, unknown>)).choices[0]!.message.content;

describe('the shape of an answer', () => {
  test('1 a completion', async () => {
    const answer = await chat();
    expect(answer).toMatchObject({
      object: 'chat.completion',
      model: 'heddle/tiny',
      id: expect.stringMatching(/^chatcmpl-\w+$/),
    });
    expect(answer.choices).toHaveLength(1);
    expect(answer.choices[0]).toMatchObject({ index: 0, message: { role: 'assistant', refusal: null } });
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage;
    expect(total_tokens).toBe(prompt_tokens + completion_tokens);
    expect(completion_tokens).toBeGreaterThan(0);
  });

  test('2 the path with a slash is the same', async () => {
    const { status, json } = await server.post(`${path}/`, base);
    expect({ status, content: json.choices[0].message.content }).toEqual({ status: 200, content: await textOf({}) });
  });

  test('3 4 no model, null and an empty name are the model served by default', async () => {
    for (const model of [undefined, null, '']) expect((await chat({ model })).model).toBe('heddle/tiny');
    expect((await server.post(path, { messages: base.messages })).status).toBe(200);
  });

  test('5 an unknown model', async () => {
    expect(await refusal({ model: 'nope' })).toMatchObject({
      status: 404,
      error: { type: 'NotFoundError', param: 'model', code: 404, message: expect.stringContaining('nope') },
    });
  });

  test('6 7 8 ids come from the header, else the field, else chance', async () => {
    expect((await chat({ request_id: 'abc' })).id).toBe('chatcmpl-abc');
    const answer = await send({ request_id: 'abc' }, { 'X-Request-Id': 'zzz' });
    expect([answer.json.id, answer.headers.get('x-request-id')]).toEqual(['chatcmpl-zzz', 'zzz']);
    expect((await chat()).id).not.toBe((await chat()).id);
    expect((await chat({ request_id: 'a\r\nb: c' })).id).toBe('chatcmpl-a\r\nb: c');
  });

  test('9 unknown fields are passed over', async () => {
    expect(await textOf({ foo: 1, messages: [{ role: 'user', content: 'Hi', extra: { deep: true } }] })).toBe(
      await textOf({}),
    );
  });

  test('10 fields without effect have none', async () => {
    const more = { user: 'u', parallel_tool_calls: false, kv_transfer_params: {}, mm_processor_kwargs: {} };
    expect(await textOf(more)).toBe(await textOf({}));
  });

  test.each(['{"messages": [', JSON.stringify(base)])('11 a key is wanted before anything else', async (body) => {
    const { status, json, headers } = await server.post(path, body, { key: null });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer');
    expect(json.error).toMatchObject({ type: 'authentication_error', param: null, code: 401 });
  });

  test('12 other methods', async () => {
    const { status, headers, json } = await server.get(path);
    expect({ status, allow: headers.get('allow'), json }).toEqual({
      status: 405,
      allow: 'POST',
      json: { detail: 'Method Not Allowed' },
    });
  });
});

describe('the body and its types', () => {
  const raw = async (body: string, headers: Record<string, string> = {}) => {
    const { status, json } = await server.post(path, body, { headers });
    return { status, error: json.error, detail: json.detail };
  };

  test('13 14 15 18 what is no request', async () => {
    expect(await raw('')).toEqual(invalid('body', 'missing'));
    expect(await raw('{"messages": [')).toEqual(invalid('body.14', 'json_invalid'));
    for (const body of ['[]', '"x"', 'null']) expect(await raw(body)).toEqual(invalid('body', 'model_attributes_type'));
    expect(await raw('{}')).toEqual(invalid('messages', 'missing'));
  });

  test('16 17 the media type', async () => {
    const body = JSON.stringify(base);
    expect(await raw(body, { 'content-type': 'text/plain' })).toEqual(invalid('body', 'model_attributes_type'));
    expect((await raw(body, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test('19 21 22 messages of the wrong shape', async () => {
    for (const messages of [null, 'hi']) expect(await refusal({ messages })).toEqual(invalid('messages', 'list_type'));
    expect(await refusal({ messages: [{ content: 'x' }] })).toEqual(invalid('messages.0.role', 'missing'));
    expect(await refusal({ messages: [{ role: 3 }] })).toEqual(invalid('messages.0.role', 'string_type'));
    expect(await refusal({ messages: ['x'] })).toEqual(invalid('messages.0', 'dict_type'));
    expect(await refusal({ messages: [{ role: 'user', content: 5 }] })).toEqual(invalid('messages.0.content'));
  });

  test('20 no messages', async () => {
    expect(await refusal({ messages: [] })).toMatchObject({ status: 400, error: { param: 'messages' } });
  });

  test('23 24 25 26 28 numbers and truth values are read leniently', async () => {
    expect(await textOf({ temperature: '0' })).toBe(await textOf({}));
    expect(await refusal({ temperature: 'abc' })).toEqual(invalid('temperature', 'float_parsing'));
    expect(await refusal({ n: 1.5 })).toEqual(invalid('n', 'int_from_float'));
    expect((await chat({ n: '2', temperature: 1 })).choices).toHaveLength(2);
    expect(await refusal({ stream: 2 })).toEqual(invalid('stream', 'bool_parsing'));
    expect(await refusal({ stream: 1.5 })).toEqual(invalid('stream', 'bool_type'));
    expect(await refusal({ n: [] })).toEqual(invalid('n', 'int_type'));
  });

  test('27 stream "yes" is a stream', async () => {
    const { status, headers } = await send({ stream: 'yes' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  test.each([
    'include_reasoning',
    'min_tokens',
    'bad_words',
    'echo',
    'priority',
    'ignore_eos',
    'request_id',
    'tool_choice',
  ])('29 %s takes no null', async (field) => {
    expect(await refusal({ [field]: null })).toEqual(invalid(field));
  });

  test('30 several findings come in the order of the fields', async () => {
    const { detail } = await refusal({ messages: undefined, n: 'x' });
    expect(detail.map(({ loc }: { loc: string[] }) => loc.at(-1))).toEqual(['messages', 'n']);
  });

  test('31 32 places are texts', async () => {
    const { detail } = await refusal({ documents: [{ title: 1 }] });
    expect(detail).toEqual([
      { loc: ['body', 'documents', '0', 'title'], msg: 'Input should be a valid string', type: 'string_type' },
    ]);
  });

  test('33 ten thousand findings are told in part', async () => {
    const messages = Array.from({ length: 10_000 }, () => 1);
    const { status, text } = await send({ messages });
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(20_000);
  });

  test('81 82 seeds of 64 bits, digit for digit', async () => {
    const seeded = (seed: string) => raw(`${JSON.stringify(base).slice(0, -1)},"seed":${seed}}`);
    for (const seed of [
      '9223372036854775807',
      '-9223372036854775808',
      '9223372036854776000',
      '-1',
      'null',
      '"7"',
      '7.0',
    ]) {
      expect((await seeded(seed)).status, seed).toBe(200);
    }
    expect(await seeded('9223372036854775808')).toEqual(invalid('seed', 'less_than_equal'));
    expect(await seeded('-9223372036854775809')).toEqual(invalid('seed', 'greater_than_equal'));
    expect(await seeded('1.5')).toEqual(invalid('seed', 'int_from_float'));
    expect(await seeded('[1]')).toEqual(invalid('seed', 'int_type'));
    expect(await seeded('"x"')).toEqual(invalid('seed', 'int_parsing'));
  });

  test('83 numbers that are none', async () => {
    const base1 = JSON.stringify({ ...base, temperature: 1 });
    expect(await raw(base1.replace('"temperature":1', '"temperature":NaN'))).toEqual(invalid('', 'json_invalid'));
    expect((await raw(base1.replace('"temperature":1', '"temperature":1e400'))).error).toMatchObject({
      param: 'temperature',
    });
    expect((await refusal({ temperature: 'nan' })).error).toMatchObject({ param: 'temperature', code: 400 });
  });

  test.each(['stop', 'stop_token_ids', 'logit_bias', 'tools', 'documents', 'structured_outputs', 'vllm_xargs'])(
    'large bodies are read as small ones: %s',
    async (field) => {
      const big = 'x'.repeat(600_000);
      expect((await refusal({ user: big, [field]: 5 })).status).toBe(422);
      expect((await chat({ user: big, seed: 3, truncate_prompt_tokens: 3 })).usage.prompt_tokens).toBe(3);
    },
  );

  test('175 extensions hold texts, numbers and lists of them', async () => {
    expect((await send({ engine_xargs: { a: [1, 'x'], b: true, c: 2 } })).status).toBe(200);
    expect(await refusal({ engine_xargs: { a: { b: 1 } } })).toEqual(invalid('engine_xargs.a'));
    expect(await refusal({ engine_xargs: { a: null } })).toEqual(invalid('engine_xargs.a'));
  });
});
