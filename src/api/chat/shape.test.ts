import { describe, expect, test } from 'vitest';
import { testServer } from '../testing/server.ts';
import { base, chatting, invalid, path } from './testing/chat.ts';

const server = await testServer();
const { chat, refusal, send } = chatting(() => server);

const textOf = async (more: object) => (await chat(more as Record<string, unknown>)).choices[0]!.message.content;

describe('the shape of an answer', () => {
  test('answers with a completion [chat 1]', async () => {
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

  test('a trailing slash makes no difference [chat 2]', async () => {
    const { status, json } = await server.post(`${path}/`, base);
    expect({ status, content: json.choices[0].message.content }).toEqual({ status: 200, content: await textOf({}) });
  });

  test('no model, null and an empty name mean the default model [chat 3 4]', async () => {
    for (const model of [undefined, null, '']) expect((await chat({ model })).model).toBe('heddle/tiny');
    expect((await server.post(path, { messages: base.messages })).status).toBe(200);
  });

  test('answers 404 for an unknown model [chat 5]', async () => {
    expect(await refusal({ model: 'nope' })).toMatchObject({
      status: 404,
      error: { type: 'NotFoundError', param: 'model', code: 404, message: expect.stringContaining('nope') },
    });
  });

  test('takes the request id from the header, else the field, else makes one [chat 6 7 8]', async () => {
    expect((await chat({ request_id: 'abc' })).id).toBe('chatcmpl-abc');
    const answer = await send({ request_id: 'abc' }, { 'X-Request-Id': 'zzz' });
    expect([answer.json.id, answer.headers.get('x-request-id')]).toEqual(['chatcmpl-zzz', 'zzz']);
    expect((await chat()).id).not.toBe((await chat()).id);
    expect((await chat({ request_id: 'a\r\nb: c' })).id).toBe('chatcmpl-a\r\nb: c');
  });

  test('ignores unknown fields [chat 9]', async () => {
    expect(await textOf({ foo: 1, messages: [{ role: 'user', content: 'Hi', extra: { deep: true } }] })).toBe(
      await textOf({}),
    );
  });

  test('accepts fields without effect [chat 10]', async () => {
    const more = { user: 'u', parallel_tool_calls: false, kv_transfer_params: {}, mm_processor_kwargs: {} };
    expect(await textOf(more)).toBe(await textOf({}));
  });

  test.each(['{"messages": [', JSON.stringify(base)])(
    'requires an API key before anything else [chat 11]',
    async (body) => {
      const { status, json, headers } = await server.post(path, body, { key: null });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(json.error).toMatchObject({ type: 'authentication_error', param: null, code: 401 });
    },
  );

  test('rejects other methods [chat 12]', async () => {
    const { status, headers, json } = await server.get(path);
    expect({ status, allow: headers.get('allow'), json }).toEqual({
      status: 405,
      allow: 'POST',
      json: {
        detail: 'Method Not Allowed',
        error: expect.objectContaining({ message: `GET is not allowed at ${path}, only POST.`, code: 405 }),
      },
    });
  });
});

describe('the body and its types', () => {
  const raw = async (body: string, headers: Record<string, string> = {}) => {
    const { status, json } = await server.post(path, body, { headers });
    return { status, error: json.error, detail: json.detail };
  };

  test('rejects bodies that are not a request [chat 13 14 15 18]', async () => {
    expect(await raw('')).toEqual(invalid('body', 'missing'));
    expect(await raw('{"messages": [')).toEqual(invalid('body.14', 'json_invalid'));
    for (const body of ['[]', '"x"', 'null']) expect(await raw(body)).toEqual(invalid('body', 'model_attributes_type'));
    expect(await raw('{}')).toEqual(invalid('messages', 'missing'));
  });

  test('checks the media type [chat 16 17]', async () => {
    const body = JSON.stringify(base);
    expect(await raw(body, { 'content-type': 'text/plain' })).toEqual(invalid('body', 'model_attributes_type'));
    expect((await raw(body, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200);
  });

  test('names the media type, and the field that a rule about several fields begins with', async () => {
    const sent = async (body: object, headers?: Record<string, string>) =>
      (await raw(JSON.stringify(body), headers)).error;
    expect((await sent(base, { 'content-type': 'text/plain' })).message).toContain('Content-Type: application/json');
    expect(await sent({ ...base, top_logprobs: 5 })).toMatchObject({
      message: "Invalid 'top_logprobs': top_logprobs needs logprobs to be true",
      param: 'top_logprobs',
    });
    const noSchema = { ...base, response_format: { type: 'json_schema' } };
    expect(await sent(noSchema)).toMatchObject({ param: 'response_format', code: 'invalid_value' });
  });

  test('rejects messages of the wrong shape [chat 19 21 22]', async () => {
    for (const messages of [null, 'hi']) expect(await refusal({ messages })).toEqual(invalid('messages', 'list_type'));
    expect(await refusal({ messages: [{ content: 'x' }] })).toEqual(invalid('messages.0.role', 'missing'));
    expect(await refusal({ messages: [{ role: 3 }] })).toEqual(invalid('messages.0.role', 'string_type'));
    expect(await refusal({ messages: ['x'] })).toEqual(invalid('messages.0', 'dict_type'));
    expect(await refusal({ messages: [{ role: 'user', content: 5 }] })).toEqual(invalid('messages.0.content'));
  });

  test('rejects an empty list of messages [chat 20]', async () => {
    expect(await refusal({ messages: [] })).toMatchObject({ status: 400, error: { param: 'messages' } });
  });

  test('reads numbers and booleans leniently [chat 23 24 25 26 28]', async () => {
    expect(await textOf({ temperature: '0' })).toBe(await textOf({}));
    expect(await refusal({ temperature: 'abc' })).toEqual(invalid('temperature', 'float_parsing'));
    expect(await refusal({ n: 1.5 })).toEqual(invalid('n', 'int_from_float'));
    expect((await chat({ n: '2', temperature: 1 })).choices).toHaveLength(2);
    expect(await refusal({ stream: 2 })).toEqual(invalid('stream', 'bool_parsing'));
    expect(await refusal({ stream: 1.5 })).toEqual(invalid('stream', 'bool_type'));
    expect(await refusal({ n: [] })).toEqual(invalid('n', 'int_type'));
  });

  test('stream "yes" means true [chat 27]', async () => {
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
  ])('rejects null for %s [chat 29]', async (field) => {
    expect(await refusal({ [field]: null })).toEqual(invalid(field));
  });

  test('reports several findings in the order of the fields [chat 30]', async () => {
    const { detail } = await refusal({ messages: undefined, n: 'x' });
    expect(detail.map(({ loc }: { loc: string[] }) => loc.at(-1))).toEqual(['messages', 'n']);
  });

  test('reports places as strings [chat 31 32]', async () => {
    const { detail } = await refusal({ documents: [{ title: 1 }] });
    expect(detail).toEqual([
      { loc: ['body', 'documents', '0', 'title'], msg: 'Input should be a valid string', type: 'string_type' },
    ]);
  });

  test('reports a part of ten thousand findings [chat 33]', async () => {
    const messages = Array.from({ length: 10_000 }, () => 1);
    const { status, text } = await send({ messages });
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(20_000);
  });

  test('reads seeds of 64 bits digit for digit [chat 81 82]', async () => {
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

  test('rejects values that are not numbers [chat 83]', async () => {
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

  test('accepts strings, numbers and lists of them as extensions [chat 175]', async () => {
    expect((await send({ engine_xargs: { a: [1, 'x'], b: true, c: 2 } })).status).toBe(200);
    expect(await refusal({ engine_xargs: { a: { b: 1 } } })).toEqual(invalid('engine_xargs.a'));
    expect(await refusal({ engine_xargs: { a: null } })).toEqual(invalid('engine_xargs.a'));
  });
});
