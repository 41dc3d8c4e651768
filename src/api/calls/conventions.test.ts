import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { completeOf, endOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeAll(async () => {
  project = await server.newProject();
});

const hex = (length: number) => randomUUID().replaceAll('-', '').slice(0, length);
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function sendStart(more: Record<string, unknown>) {
  return server.post('/call/start', { start: startOf(project, more) });
}

/** Sends a start whose payload is given as JSON text, and reads the call back as text. */
async function roundTrip(field: 'inputs' | 'output', json: string): Promise<string> {
  const call = completeOf(project, { [field]: 'PAYLOAD' });
  const answer = await server.post(
    `/v2/${project}/calls/complete`,
    JSON.stringify({ batch: [call] }).replace('"PAYLOAD"', json),
  );
  expect(answer).toMatchObject({ status: 200, text: '{}' });
  return (await readCall(server, project, call.id)).text;
}

describe('server state', () => {
  test('/server_info returns both versions without a key [calls 1]', async () => {
    const { status, json } = await server.get('/server_info', { key: null });
    expect(status).toBe(200);
    expect(json.min_required_weave_python_version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(json.trace_server_version).toMatch(/^\d+\.\d+\.\d+$/);
  });
  test.each([null, 'wrong', undefined])('/health answers with the key %s [calls 1]', async (key) => {
    expect((await server.get('/health', { key })).status).toBe(200);
  });
});

describe('authentication', () => {
  const body = () => ({ project_id: project, id: randomUUID() });
  test.each<[string, () => Record<string, string>]>([
    ['Basic', () => ({ authorization: `Basic ${Buffer.from(`api:${server.key}`).toString('base64')}` })],
    ['Bearer', () => ({ authorization: `Bearer ${server.key}` })],
    ['wandb-api-key', () => ({ 'wandb-api-key': server.key })],
  ])('accepts a key as %s [calls 2]', async (_name, headers) => {
    expect((await server.post('/call/read', body(), { key: null, headers: headers() })).status).toBe(200);
  });
  test.each([null, 'x'.repeat(48)])('answers the key %s with 401 in JSON [calls 2]', async (key) => {
    const answer = await server.post('/call/read', body(), { key });
    expect(answer.status).toBe(401);
    expect(answer.json.reason).toMatch(/API key/);
  });
});

describe('malformed requests', () => {
  test('a body that is not JSON is a 422 with details [calls 3]', async () => {
    const answer = await server.post('/call/start', '{');
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'json_invalid', loc: ['body', expect.any(Number)] });
  });
  test('an unknown path is a 404 in JSON [calls 3]', async () => {
    expect(await server.post('/nowhere', {})).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
  });
  test('a wrong method is a 405 [calls 3]', async () => {
    const answer = await server.get('/call/read');
    expect(answer).toMatchObject({ status: 405, json: { detail: 'Method Not Allowed' } });
  });
});

describe('shapes', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['a missing op_name [calls 4]', { op_name: undefined }, 'op_name', 'missing'],
    ['inputs that are a list [calls 4]', { inputs: [] }, 'inputs', 'dict_type'],
    ['an op_name that is a number', { op_name: 5 }, 'op_name', 'string_type'],
    ['a step that is text', { wb_run_step: 'abc' }, 'wb_run_step', 'int_parsing'],
    ['a step with a fraction', { wb_run_step: 1.5 }, 'wb_run_step', 'int_from_float'],
    ['a start that is not a date [calls 12]', { started_at: 'abc' }, 'started_at', 'datetime_from_date_parsing'],
  ])('names the field in the 422 for %s', async (_name, more, field, type) => {
    const answer = await sendStart(more);
    expect(answer.status).toBe(422);
    expect(answer.json.detail).toEqual([expect.objectContaining({ type, loc: ['body', 'start', field] })]);
  });
  test('ignores unknown keys [calls 5]', async () => {
    const answer = await server.post('/call/start', { start: startOf(project, { extra: 1 }), other: true });
    expect(answer.status).toBe(200);
  });
  test('rejects a key beside $expr in a query [calls 5]', async () => {
    const query = { $expr: { $eq: [{ $literal: 1 }, { $literal: 1 }] }, x: 1 };
    const answer = await queryCalls(server, project, { query });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].type).toBe('extra_forbidden');
  });
});

describe('ids', () => {
  test.each([randomUUID().toUpperCase(), 'abc', ''])('rejects the id %j [calls 6]', async (id) => {
    const answer = await sendStart({ id });
    expect(answer).toMatchObject({ status: 400, json: { reason: expect.stringMatching(/^Invalid UUID: /) } });
  });
  test('returns ids of spans and traces unchanged [calls 7]', async () => {
    const [id, trace_id] = [hex(16), hex(32)];
    expect((await sendStart({ id, trace_id })).json).toEqual({ id, trace_id });
    expect((await readCall(server, project, id)).call).toMatchObject({ id, trace_id });
  });
  test('generates missing ids as UUIDv7 [calls 8]', async () => {
    const { json } = await sendStart({ id: undefined, trace_id: null });
    expect(json.id).toMatch(uuid7);
    expect(json.trace_id).toMatch(uuid7);
  });
});

describe('times', () => {
  test.each([
    ['2024-01-01T02:00:00+02:00', '2024-01-01T00:00:00Z', '[calls 9]'],
    ['2024-01-01 00:00:00', '2024-01-01T00:00:00Z', '[calls 9]'],
    ['2024-01-01', '2024-01-01T00:00:00Z', '[calls 9]'],
    [1704067200.5, '2024-01-01T00:00:00.500000Z', '[calls 10]'],
    [1704067200123, '2024-01-01T00:00:00.123000Z', '[calls 10]'],
    ['1704067200', '2024-01-01T00:00:00Z', '[calls 10]'],
    ['2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00.123456Z', '[calls 11]'],
  ])('returns %s as %s %s', async (started_at, expected, _tag) => {
    const { json } = await sendStart({ started_at });
    expect((await readCall(server, project, json.id)).call.started_at).toBe(expected);
  });
  test.each(['24:00:00', '2024-13-01', '2024-01-01T24:00:00Z', ''])(
    'rejects the time %j [calls 12]',
    async (started_at) => {
      expect((await sendStart({ started_at })).status).toBe(422);
    },
  );
});

describe('payloads', () => {
  test.each([
    [
      'returns nulls, empty values and unusual keys unchanged [calls 13]',
      '{"a":null,"b":{},"c":[],"d":"","e.f":1,"":2}',
    ],
    ['returns every digit of a long integer [calls 14]', '{"n":123456789012345678901234567890}'],
    ['returns floats and integers as they were written [calls 15]', '{"a":1.0,"b":1,"c":1e5,"d":1.10}'],
    ['returns keys in the order sent [calls 13]', '{"b":1,"2":2,"1":1,"__proto__":{"x":1}}'],
    ['returns Unicode unchanged', '{"é":"😀\\u0000\\u2028"}'],
  ])('%s', async (_name, json) => {
    expect(await roundTrip('inputs', json)).toContain(`"inputs":${json}`);
  });
  test.each(['"text"', '0', 'false', '[]', 'null'])('returns the output %s unchanged [calls 16]', async (json) => {
    expect(await roundTrip('output', json)).toContain(`"output":${json}`);
  });
  test('returns NaN and infinities as strings, unlike null, and a lone surrogate as U+FFFD', async () => {
    const sent = '{"a": NaN, "b": [null, Infinity, -Infinity], "c": "\\ud83d"}';
    const kept = '{"a":"NaN","b":[null,"Infinity","-Infinity"],"c":"\\ufffd"}';
    for (const field of ['inputs', 'output'] as const) {
      expect(await roundTrip(field, sent)).toContain(`"${field}":${kept}`);
    }
  });
});

test('redacts credentials in the inputs but not in the output [calls 17]', async () => {
  const inputs = { api_key: 's', x: { 'OPENAI-API-KEY': 't' }, token: 'u', authorization: true };
  const [id] = await logCalls(server, project, [{ inputs, output: { api_key: 's' }, attributes: { AuthToken: 'a' } }]);
  const { call } = await readCall(server, project, id!);
  expect(call.inputs).toEqual({
    api_key: 'REDACTED',
    x: { 'OPENAI-API-KEY': 'REDACTED' },
    token: 'u',
    authorization: true,
  });
  expect(call.output).toEqual({ api_key: 's' });
  expect(call.attributes).toEqual({ AuthToken: 'REDACTED' });
});

describe('refs in payloads', () => {
  test('returns a ref as sent, and finds the call by it [calls 18]', async () => {
    const ref = `weave:///${project}/object/x:dig${hex(8)}`;
    const [id] = await logCalls(server, project, [{ inputs: { m: ref } }]);
    expect((await readCall(server, project, id!)).call.inputs.m).toBe(ref);
    const { calls } = await queryCalls(server, project, { filter: { input_refs: [ref] } });
    expect(calls.map((call) => call.id)).toEqual([id]);
  });
  test.each([
    ['keeps text that only looks like a ref [calls 19]', 'weave:///x'],
    ['returns a ref inside a sentence unchanged [calls 19]', 'see weave:///e/p/object/x:d'],
    ['returns a ref in JSON text in its external form [calls 20]', '{"r":"weave:///e/p/object/x:d"}'],
  ])('%s', async (_name, text) => {
    const [id] = await logCalls(server, project, [{ inputs: { text } }]);
    expect((await readCall(server, project, id!)).call.inputs.text).toBe(text);
  });
});

describe('limits', () => {
  test('rejects more than 200 nested containers [calls 21]', async () => {
    const nested = `${'['.repeat(201)}${']'.repeat(201)}`;
    const body = JSON.stringify({ start: startOf(project, { inputs: { a: 'NEST' } }) }).replace('"NEST"', nested);
    expect(await server.post('/call/start', body)).toMatchObject({
      status: 413,
      json: { reason: 'Request too large' },
    });
  });
  test('rejects a body of 40 MiB [calls 21]', async () => {
    const answer = await server.post('/call/start', 'x'.repeat(40 * 1024 * 1024)).catch(() => null);
    // The server may hang up before such a body is through; then the client sees no answer at all.
    if (answer) expect(answer).toMatchObject({ status: 413, json: { reason: 'Request too large' } });
  });
  test.each<[string, Record<string, unknown>, number]>([
    ['rejects an op_name of 129 characters [calls 22]', { op_name: 'x'.repeat(129) }, 400],
    ['accepts an op_name of 128 characters [calls 22]', { op_name: 'x'.repeat(128) }, 200],
    ['rejects a display_name of 1,025 characters [calls 22]', { display_name: 'x'.repeat(1025) }, 400],
    ['rejects the ref of an object as op_name [calls 23]', { op_name: 'weave:///e/p/object/x:d' }, 400],
    ['accepts the ref of an op as op_name [calls 23]', { op_name: 'weave:///e/p/op/x:d' }, 200],
    ['rejects a negative step [calls 25]', { wb_run_step: -1 }, 400],
    ['rejects a run id without its project', { wb_run_id: 'run1' }, 400],
  ])('%s', async (_name, more, status) => {
    expect((await sendStart(more)).status).toBe(status);
  });
  test('returns a run id, and finds it by its name and its full name [calls 24]', async () => {
    const run = `run${hex(6)}`;
    const [id] = await logCalls(server, project, [{ wb_run_id: `${project}/${run}` }]);
    expect((await readCall(server, project, id!)).call.wb_run_id).toBe(`${project}/${run}`);
    for (const each of [run, `${project}/${run}`]) {
      const { calls } = await queryCalls(server, project, { filter: { wb_run_ids: [each] } });
      expect(calls.map((call) => call.id)).toEqual([id]);
    }
  });
  test('returns step 0 as 0 and a missing step as null [calls 25]', async () => {
    const [id] = await logCalls(server, project, [{ wb_run_step: 0 }]);
    expect((await readCall(server, project, id!)).call).toMatchObject({ wb_run_step: 0, wb_run_step_end: null });
  });
});

describe('answers and retries', () => {
  test('answers in JSON lines by default, and with nothing for an empty project [calls 26]', async () => {
    await logCalls(server, project, [{ inputs: { text: 'line\r\nbreak' } }]);
    const { text, headers } = await queryCalls(server, project);
    expect(headers.get('content-type')).toBe('application/jsonl');
    expect(text.endsWith('\n')).toBe(true);
    expect(text.includes('\r')).toBe(false);
    for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(await queryCalls(server, await server.newProject())).toMatchObject({ status: 200, text: '' });
  });
  test('all attempts of one request make one call [calls 27]', async () => {
    const fresh = await server.newProject();
    const start = startOf(fresh, { id: undefined, trace_id: undefined });
    const headers = { 'x-weave-retry-id': '01900000-0000-7000-8000-000000000001' };
    const first = await server.post('/call/start', { start }, { headers });
    const second = await server.post('/call/start', { start }, { headers });
    expect(second.json).toEqual(first.json);
    expect(first.json.id).toMatch(uuid7);
    expect((await queryCalls(server, fresh)).calls).toHaveLength(1);
  });
});

test('tracing paths also answer under /traces [evaluations 21]', async () => {
  const start = startOf(project);
  expect((await server.post('/traces/call/start', { start })).status).toBe(200);
  expect((await server.post('/traces/call/end', { end: endOf(start) })).status).toBe(200);
  expect((await server.get('/traces/server_info', { key: null })).status).toBe(200);
});
