import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeOf, endOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
});
afterAll(() => server.close());

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

describe('row 1', () => {
  test('/server_info has both versions and needs no key', async () => {
    const { status, json } = await server.get('/server_info', { key: null });
    expect(status).toBe(200);
    expect(json.min_required_weave_python_version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(json.trace_server_version).toMatch(/^\d+\.\d+\.\d+$/);
  });
  test.each([null, 'wrong', undefined])('/health answers with key %s', async (key) => {
    expect((await server.get('/health', { key })).status).toBe(200);
  });
});

describe('row 2', () => {
  const body = () => ({ project_id: project, id: randomUUID() });
  test.each<[string, () => Record<string, string>]>([
    ['Basic', () => ({ authorization: `Basic ${Buffer.from(`api:${server.key}`).toString('base64')}` })],
    ['Bearer', () => ({ authorization: `Bearer ${server.key}` })],
    ['wandb-api-key', () => ({ 'wandb-api-key': server.key })],
  ])('%s is accepted', async (_name, headers) => {
    expect((await server.post('/call/read', body(), { key: null, headers: headers() })).status).toBe(200);
  });
  test.each([null, 'x'.repeat(48)])('key %s is refused with a JSON object', async (key) => {
    const answer = await server.post('/call/read', body(), { key });
    expect(answer.status).toBe(401);
    expect(answer.json.reason).toMatch(/API key/);
  });
});

describe('row 3', () => {
  test('a body that is no JSON is a 422 with details', async () => {
    const answer = await server.post('/call/start', '{');
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'json_invalid', loc: ['body', expect.any(Number)] });
  });
  test('an unknown path is a 404 in JSON', async () => {
    expect(await server.post('/nowhere', {})).toMatchObject({ status: 404, json: { detail: 'Not Found' } });
  });
  test('a wrong method is a 405', async () => {
    const answer = await server.get('/call/read');
    expect(answer).toMatchObject({ status: 405, json: { detail: 'Method Not Allowed' } });
  });
});

describe('rows 4 and 5: shapes', () => {
  test.each<[string, Record<string, unknown>, string, string]>([
    ['a missing op_name', { op_name: undefined }, 'op_name', 'missing'],
    ['inputs that are a list', { inputs: [] }, 'inputs', 'dict_type'],
    ['an op_name that is a number', { op_name: 5 }, 'op_name', 'string_type'],
    ['a step that is text', { wb_run_step: 'abc' }, 'wb_run_step', 'int_parsing'],
    ['a step with a fraction', { wb_run_step: 1.5 }, 'wb_run_step', 'int_from_float'],
    ['a start that is no date', { started_at: 'abc' }, 'started_at', 'datetime_from_date_parsing'],
  ])('%s is a 422 that names the field', async (_name, more, field, type) => {
    const answer = await sendStart(more);
    expect(answer.status).toBe(422);
    expect(answer.json.detail).toEqual([expect.objectContaining({ type, loc: ['body', 'start', field] })]);
  });
  test('row 5: unknown keys are ignored', async () => {
    const answer = await server.post('/call/start', { start: startOf(project, { extra: 1 }), other: true });
    expect(answer.status).toBe(200);
  });
  test('row 5: a query takes nothing beside $expr', async () => {
    const query = { $expr: { $eq: [{ $literal: 1 }, { $literal: 1 }] }, x: 1 };
    const answer = await queryCalls(server, project, { query });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0].type).toBe('extra_forbidden');
  });
});

describe('rows 6–8: ids', () => {
  test.each([randomUUID().toUpperCase(), 'abc', ''])('row 6: id %s is a 400', async (id) => {
    const answer = await sendStart({ id });
    expect(answer).toMatchObject({ status: 400, json: { reason: expect.stringMatching(/^Invalid UUID: /) } });
  });
  test('row 7: ids of spans and traces are accepted and returned unchanged', async () => {
    const [id, trace_id] = [hex(16), hex(32)];
    expect((await sendStart({ id, trace_id })).json).toEqual({ id, trace_id });
    expect((await readCall(server, project, id)).call).toMatchObject({ id, trace_id });
  });
  test('row 8: absent ids are made', async () => {
    const { json } = await sendStart({ id: undefined, trace_id: null });
    expect(json.id).toMatch(uuid7);
    expect(json.trace_id).toMatch(uuid7);
  });
});

describe('rows 9–12: times', () => {
  test.each([
    ['2024-01-01T02:00:00+02:00', '2024-01-01T00:00:00Z'],
    ['2024-01-01 00:00:00', '2024-01-01T00:00:00Z'],
    ['2024-01-01', '2024-01-01T00:00:00Z'],
    [1704067200.5, '2024-01-01T00:00:00.500000Z'],
    [1704067200123, '2024-01-01T00:00:00.123000Z'],
    ['1704067200', '2024-01-01T00:00:00Z'],
    ['2024-01-01T00:00:00.123456789Z', '2024-01-01T00:00:00.123456Z'],
  ])('%s is returned as %s', async (started_at, expected) => {
    const { json } = await sendStart({ started_at });
    expect((await readCall(server, project, json.id)).call.started_at).toBe(expected);
  });
  test.each(['24:00:00', '2024-13-01', '2024-01-01T24:00:00Z', ''])('row 12: %s is a 422', async (started_at) => {
    expect((await sendStart({ started_at })).status).toBe(422);
  });
});

describe('rows 13–16: payloads come back as they were sent', () => {
  test.each([
    ['row 13', '{"a":null,"b":{},"c":[],"d":"","e.f":1,"":2}'],
    ['row 14', '{"n":123456789012345678901234567890}'],
    ['row 15', '{"a":1.0,"b":1,"c":1e5,"d":1.10}'],
    ['keys in the order sent', '{"b":1,"2":2,"1":1,"__proto__":{"x":1}}'],
    ['unicode', '{"é":"😀\\u0000\\u2028"}'],
  ])('%s', async (_name, json) => {
    expect(await roundTrip('inputs', json)).toContain(`"inputs":${json}`);
  });
  test.each(['"text"', '0', 'false', '[]', 'null'])('row 16: output %s', async (json) => {
    expect(await roundTrip('output', json)).toContain(`"output":${json}`);
  });
  test('NaN becomes null, a lone surrogate U+FFFD', async () => {
    expect(await roundTrip('inputs', '{"a": NaN, "b": "\\ud83d"}')).toContain('"inputs":{"a":null,"b":"\\ufffd"}');
  });
});

test('row 17: credentials in inputs are redacted, in the output not', async () => {
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

describe('rows 18–20: refs in payloads', () => {
  test('row 18: a ref comes back and is found by it', async () => {
    const ref = `weave:///${project}/object/x:dig${hex(8)}`;
    const [id] = await logCalls(server, project, [{ inputs: { m: ref } }]);
    expect((await readCall(server, project, id!)).call.inputs.m).toBe(ref);
    const { calls } = await queryCalls(server, project, { filter: { input_refs: [ref] } });
    expect(calls.map((call) => call.id)).toEqual([id]);
  });
  test.each([
    ['row 19, as ruled: what only looks like a ref is text', 'weave:///x'],
    ['row 19: a ref inside a sentence', 'see weave:///e/p/object/x:d'],
    ['row 20: JSON that holds a ref', '{"r":"weave:///e/p/object/x:d"}'],
  ])('%s', async (_name, text) => {
    const [id] = await logCalls(server, project, [{ inputs: { text } }]);
    expect((await readCall(server, project, id!)).call.inputs.text).toBe(text);
  });
});

describe('rows 21–25: limits', () => {
  test('row 21: more than 200 nested containers are a 413', async () => {
    const nested = `${'['.repeat(201)}${']'.repeat(201)}`;
    const body = JSON.stringify({ start: startOf(project, { inputs: { a: 'NEST' } }) }).replace('"NEST"', nested);
    expect(await server.post('/call/start', body)).toMatchObject({
      status: 413,
      json: { reason: 'Request too large' },
    });
  });
  test('row 21: a body of 40 MiB is a 413', async () => {
    const answer = await server.post('/call/start', 'x'.repeat(40 * 1024 * 1024)).catch(() => null);
    // The server may hang up before such a body is through; then the client sees no answer at all.
    if (answer) expect(answer).toMatchObject({ status: 413, json: { reason: 'Request too large' } });
  });
  test.each<[string, Record<string, unknown>, number]>([
    ['row 22: op_name of 129 characters', { op_name: 'x'.repeat(129) }, 400],
    ['row 22: op_name of 128 characters', { op_name: 'x'.repeat(128) }, 200],
    ['row 22: display_name of 1025 characters', { display_name: 'x'.repeat(1025) }, 400],
    ['row 23: op_name that is the ref of an object', { op_name: 'weave:///e/p/object/x:d' }, 400],
    ['row 23: op_name that is the ref of an op', { op_name: 'weave:///e/p/op/x:d' }, 200],
    ['row 25: a negative step', { wb_run_step: -1 }, 400],
    ['a run id without its project', { wb_run_id: 'run1' }, 400],
  ])('%s answers %i', async (_name, more, status) => {
    expect((await sendStart(more)).status).toBe(status);
  });
  test('row 24: a run id comes back and is found in both spellings', async () => {
    const run = `run${hex(6)}`;
    const [id] = await logCalls(server, project, [{ wb_run_id: `${project}/${run}` }]);
    expect((await readCall(server, project, id!)).call.wb_run_id).toBe(`${project}/${run}`);
    for (const each of [run, `${project}/${run}`]) {
      const { calls } = await queryCalls(server, project, { filter: { wb_run_ids: [each] } });
      expect(calls.map((call) => call.id)).toEqual([id]);
    }
  });
  test('row 25: step 0 is kept, an unset one is null', async () => {
    const [id] = await logCalls(server, project, [{ wb_run_step: 0 }]);
    expect((await readCall(server, project, id!)).call).toMatchObject({ wb_run_step: 0, wb_run_step_end: null });
  });
});

describe('rows 26 and 27', () => {
  test('row 26: JSON lines without an Accept header, and nothing from an empty project', async () => {
    await logCalls(server, project, [{ inputs: { text: 'line\r\nbreak' } }]);
    const { text, headers } = await queryCalls(server, project);
    expect(headers.get('content-type')).toBe('application/jsonl');
    expect(text.endsWith('\n')).toBe(true);
    expect(text.includes('\r')).toBe(false);
    for (const line of text.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(await queryCalls(server, await server.newProject())).toMatchObject({ status: 200, text: '' });
  });
  test('row 27: all attempts of one request make one call', async () => {
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

test('every tracing path also answers under /traces', async () => {
  const start = startOf(project);
  expect((await server.post('/traces/call/start', { start })).status).toBe(200);
  expect((await server.post('/traces/call/end', { end: endOf(start) })).status).toBe(200);
  expect((await server.get('/traces/server_info', { key: null })).status).toBe(200);
});
