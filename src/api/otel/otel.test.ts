import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { describe, expect, it, test } from 'vitest';
import { ExportTraceServiceResponseSchema } from '../../otel/proto/otlp.generated.ts';
import { otlpBinary, otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

type Sending = { path?: string; headers?: Record<string, string>; body?: Uint8Array | string };

async function send(project: string | null, { path = '/otel/v1/traces', headers = {}, body = '' }: Sending) {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf';
  const routing: Record<string, string> = project === null ? {} : { project_id: project };
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: body as BodyInit,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type, ...routing, ...headers },
  });
  return { status: response.status, type: response.headers.get('content-type'), body: await response.bytes() };
}

async function read(project: string): Promise<Record<string, any>[]> {
  const body = { project_id: project, sort_by: [{ field: 'started_at', direction: 'asc' }] };
  return (await server.post('/calls/stream_query', body)).lines;
}

async function sendSpans(project: string, spans: TestSpan[], path?: string) {
  return send(project, { body: otlpBinary(otlpJson(spans)), ...(path ? { path } : {}) });
}

const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('an export', () => {
  it('stores a protobuf span as a call with the ids of the span [calls 131]', async () => {
    const project = await server.newProject();
    expect(await sendSpans(project, [ids])).toMatchObject({ status: 200, type: 'application/x-protobuf' });
    expect(await read(project)).toMatchObject([{ id: ids.spanId, trace_id: ids.traceId, parent_id: null }]);
  });

  it('the project of the resource overrides the header [calls 132]', async () => {
    const [header, resource] = [await server.newProject(), await server.newProject()];
    const [entity, project] = resource.split('/');
    const json = otlpJson([ids], { 'wandb.entity': entity, 'wandb.project': project });
    expect(await send(header, { body: otlpBinary(json) })).toMatchObject({ status: 200 });
    expect(await read(resource)).toHaveLength(1);
    expect(await read(header)).toEqual([]);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['zstd', zstdCompressSync],
  ] as const)('accepts a body in %s [calls 133]', async (encoding, compress) => {
    const project = await server.newProject();
    const body = compress(otlpBinary(otlpJson([ids])));
    expect(await send(project, { body, headers: { 'content-encoding': encoding } })).toMatchObject({ status: 200 });
    expect(await read(project)).toHaveLength(1);
  });

  test.each([
    ['broken protobuf [calls 133]', { body: Buffer.from('not protobuf at all') }],
    ['broken JSON', { body: '{"resourceSpans":[' }],
    ['JSON of another shape', { body: '{"resourceSpans":{}}' }],
    ['a body that is not gzip', { body: Buffer.from('x'), headers: { 'content-encoding': 'gzip' } }],
    ['an unknown encoding', { body: Buffer.from('x'), headers: { 'content-encoding': 'brotli' } }],
  ])('rejects %s', async (_name, sending) => {
    expect(await send(await server.newProject(), sending)).toMatchObject({ status: 400 });
  });

  it('stores the same span twice as one call [calls 134]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [ids]);
    await sendSpans(project, [{ ...ids, attributes: { input: 'again' } }]);
    expect(await read(project)).toMatchObject([{ id: ids.spanId, inputs: { input: 'again' } }]);
  });

  it('a span with an all-zero parent is a root, and a child may arrive first [calls 135]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, spanId: '00000000000000c1', parentSpanId: ids.spanId }]);
    await sendSpans(project, [{ ...ids, parentSpanId: '0000000000000000' }]);
    const parents = Object.fromEntries((await read(project)).map((call) => [call.id, call.parent_id]));
    expect(parents).toEqual({ [ids.spanId]: null, '00000000000000c1': ids.spanId });
  });

  it('adds the project to a bare run id [calls 143]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, attributes: { 'wandb.wb_run_id': 'r1', 'wandb.wb_run_step': 3 } }]);
    expect(await read(project)).toMatchObject([{ wb_run_id: `${project}/r1`, wb_run_step: 3 }]);
  });

  it('returns the span under otel_span, with credentials redacted [calls 144 150]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, name: 'GET /', attributes: { 'http.method': 'GET', api_key: 'secret' } }]);
    const [call] = await read(project);
    expect(call!.attributes).toMatchObject({ http: { method: 'GET' }, api_key: 'REDACTED' });
    expect(call!.attributes.otel_span).toMatchObject({
      name: 'GET /',
      context: { trace_id: ids.traceId, span_id: ids.spanId, trace_state: '' },
      kind: 'UNSPECIFIED',
      parent_id: null,
      start_time: '2023-11-14T22:13:20',
      end_time: '2023-11-14T22:13:21.500000',
      status: { code: 'UNSET', message: '' },
      attributes: { http: { method: 'GET' }, api_key: 'REDACTED' },
      events: [],
      links: [],
    });
  });

  it('finds calls by the attributes of their spans [calls 144]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, attributes: { 'http.method': 'GET', 'a.0.n': 5 } }, { name: 'other' }]);
    const found = async (field: string, literal: unknown) => {
      const query = { $expr: { $eq: [{ $getField: field }, { $literal: literal }] } };
      return (await server.post('/calls/query_stats', { project_id: project, query })).json.count;
    };
    expect(await found('attributes.otel_span.attributes.http.method', 'GET')).toBe(1);
    expect(await found('attributes.otel_span.name', 'other')).toBe(1);
    expect(await found('attributes.otel_span.attributes.a.0.n', 5)).toBe(1);
    expect(await found('attributes.http.method', 'GET')).toBe(1);
  });

  it('sorts calls by fields of their spans: numbers, text, then missing values [calls 144]', async () => {
    const project = await server.newProject();
    const step = (name: string, value?: unknown) => ({
      name,
      attributes: value === undefined ? {} : { 'app.step': value },
    });
    await sendSpans(project, [step('d', 10), step('b', 9), step('c', 'x'), step('a', 9.5), step('e')]);
    const trace = { project_id: project, trace_id: ids.traceId, started_at: '2024-01-01T00:00:00Z' };
    const sdk = { ...trace, id: ids.spanId, op_name: 'sdk', inputs: {}, attributes: { otel_span: { name: 'aa' } } };
    await server.post('/call/start', { start: sdk });
    const sorted = async (field: string, direction: string, limit?: number) => {
      const sortBy = [{ field: `attributes.otel_span.${field}`, direction }];
      const { lines } = await server.post('/calls/stream_query', { project_id: project, sort_by: sortBy, limit });
      return lines.map(({ attributes }) => attributes.otel_span.name);
    };
    expect(await sorted('name', 'asc')).toEqual(['a', 'aa', 'b', 'c', 'd', 'e']);
    expect(await sorted('name', 'desc')).toEqual(['e', 'd', 'c', 'b', 'aa', 'a']);
    expect(await sorted('name', 'desc', 2)).toEqual(['e', 'd']);
    expect((await sorted('attributes.app.step', 'asc')).slice(0, 4)).toEqual(['b', 'a', 'd', 'c']);
    expect((await sorted('attributes.app.step', 'desc')).slice(0, 4)).toEqual(['d', 'a', 'b', 'c']);
    expect(await sorted('attributes.app.step', 'desc', 2)).toEqual(['d', 'a']);
    expect((await sorted('attributes.app.step', 'asc')).slice(4).sort()).toEqual(['aa', 'e']);
  });

  it('a failed span is a failed call [calls 145]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, status: { code: 2, message: 'broke' } }]);
    await sendSpans(project, [{ status: { code: 2 } }]);
    const found = (await read(project)).map(({ exception, summary }) => [exception, summary.weave.status]);
    expect(found.sort()).toEqual([
      ['broke', 'error'],
      ['error', 'error'],
    ]);
  });

  it('counts a span that cannot be stored as rejected, and stores the others [calls 146]', async () => {
    const project = await server.newProject();
    const json = otlpJson([{ name: 'bad', spanId: '0000000000000000' }, ids]);
    const { partialSuccess } = fromBinary(
      ExportTraceServiceResponseSchema,
      (await send(project, { body: otlpBinary(json) })).body,
    );
    expect(partialSuccess).toMatchObject({ rejectedSpans: 1n, errorMessage: expect.stringContaining("name='bad'") });
    const answer = JSON.parse(Buffer.from((await send(project, { body: json })).body).toString());
    expect(answer.partial_success).toMatchObject({ rejected_spans: 1 });
    expect(await read(project)).toHaveLength(1);
  });

  it('stores a span whose keys are both value and prefix whole [calls 146]', async () => {
    const project = await server.newProject();
    const attributes = { 'agno.agent': 'Weather', 'agno.agent.id': 'w', error: 'e', 'error.type': 'T' };
    const answer = await send(project, { body: otlpJson([{ ...ids, attributes }]) });
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({ partial_success: null });
    const [call] = await read(project);
    expect(call!.attributes.otel_span.attributes).toEqual({
      ...{ agno: { agent: { id: 'w' } }, 'agno.agent': 'Weather' },
      ...{ error: 'e', 'error.type': 'T' },
    });
  });

  it('spans of one name share an op with the placeholder digest [calls 147]', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, name: 'chat gpt-4' }, { name: 'chat gpt-4' }]);
    await sendSpans(project, [{ name: 'chat gpt-4' }, { name: `${'long '.repeat(40)}` }]);
    const digest = 'XNI9iHYwcffKfuDa2rGjQoIxUOw7cnWmLEiNufRD8RY';
    const opName = `weave:///${project}/op/chat_gpt-4:${digest}`;
    const calls = await read(project);
    const names = calls.filter((call) => call.op_name === opName).map((call) => call.summary.weave.trace_name);
    expect(names).toEqual(['chat_gpt-4', 'chat_gpt-4', 'chat_gpt-4']);
    const key = { project_id: project, object_id: 'chat_gpt-4', digest: 'latest' };
    const op = (await server.post('/obj/read', key)).json.obj;
    expect(op).toMatchObject({ kind: 'op', digest, version_index: 0, is_latest: 1 });
    const file = op.val.files['obj.py'];
    const content = await server.post('/file/content', { project_id: project, digest: file });
    expect(content.text).toBe('def func(*args, **kwargs):\n    ... # Code-capture unavailable for this op\n');
    const long = calls.find((call) => call.op_name !== opName)!.op_name;
    expect(long.split('/').at(-1)!.split(':')[0]!.length).toBeLessThanOrEqual(128);
  });

  it('uses the newest version of an op that exists [calls 147]', async () => {
    const project = await server.newProject();
    const val = { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: {} };
    const made = await server.post('/obj/create', { obj: { project_id: project, object_id: 'my_op', val } });
    await sendSpans(project, [{ ...ids, name: 'my op' }]);
    expect(await read(project)).toMatchObject([{ op_name: `weave:///${project}/op/my_op:${made.json.digest}` }]);
  });

  it('adds a placeholder version to an op whose versions are deleted [calls 147]', async () => {
    const project = await server.newProject();
    const val = { _type: 'CustomWeaveType', weave_type: { type: 'Op' }, files: {} };
    await server.post('/obj/create', { obj: { project_id: project, object_id: 'my_op', val } });
    await server.post('/obj/delete', { project_id: project, object_id: 'my_op', digests: null });
    await sendSpans(project, [{ ...ids, name: 'my op' }]);
    const key = { project_id: project, object_id: 'my_op', digest: 'latest' };
    const op = (await server.post('/obj/read', key)).json.obj;
    expect(await read(project)).toMatchObject([{ op_name: `weave:///${project}/op/my_op:${op.digest}` }]);
    expect(op.version_index).toBe(1);
  });

  it('returns costs under the key of the usage [calls 149]', async () => {
    const project = await server.newProject();
    const usage = { 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.output_tokens': 4 };
    await sendSpans(project, [{ ...ids, attributes: { ...usage, 'gen_ai.response.model': 'm' } }]);
    const costs = { m: { prompt_token_cost: 1, completion_token_cost: 2 } };
    await server.post('/cost/create', { project_id: project, costs });
    const query = { project_id: project, include_costs: true };
    const [call] = (await server.post('/calls/stream_query', query)).lines;
    expect(call.summary.weave.costs).toMatchObject({
      m: { prompt_tokens_total_cost: 3, completion_tokens_total_cost: 8 },
    });
  });

  it('accepts an empty export of agents [calls 148]', async () => {
    const path = '/agents/otel/v1/traces';
    const project = await server.newProject();
    expect(await send(project, { path, body: new Uint8Array() })).toMatchObject({ status: 200 });
    const answer = await send(project, { path, body: '{}' });
    const counts = { accepted_spans: 0, rejected_spans: 0, error_message: '' };
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual(counts);
  });
});

describe('spans', () => {
  it('go to the project of the service in the default entity if they name none [calls 132]', async () => {
    for (const path of ['/otel/v1/traces', '/v1/traces', '/traces/v1/traces']) {
      const service = `service${path.replaceAll('/', '-')}`;
      const body = otlpBinary(otlpJson([ids], { 'service.name': service }));
      expect(await send(null, { path, body })).toMatchObject({ status: 200 });
      expect(await read(`${server.entity}/${service}`)).toHaveLength(1);
    }
  });

  test.each([{}, { 'service.name': 'unknown_service:node' }])(
    'with %j go to the project default [calls 132]',
    async (resource) => {
      const spanId = Buffer.from(JSON.stringify(resource)).toString('hex').padEnd(16, '0').slice(0, 16);
      await send(null, { body: otlpBinary(otlpJson([{ spanId }], resource)) });
      const found = await server.post('/call/read', { project_id: `${server.entity}/default`, id: spanId });
      expect(found.json.call.id).toBe(spanId);
    },
  );

  it('are rejected with a malformed project, but not those of other projects', async () => {
    const body = otlpBinary(otlpJson([ids]));
    expect(await send('no-slash', { body })).toMatchObject({ status: 400 });
    const good = await server.newProject();
    const [entity, project] = good.split('/');
    const { resourceSpans } = JSON.parse(otlpJson([ids], { 'wandb.entity': entity, 'wandb.project': project }));
    const both = JSON.stringify({ resourceSpans: [...resourceSpans, ...JSON.parse(otlpJson([{}])).resourceSpans] });
    const answer = await send('no-slash', { body: both });
    expect(JSON.parse(Buffer.from(answer.body).toString()).partial_success.rejected_spans).toBe(1);
    expect(await read(good)).toHaveLength(1);
  });

  it('require a key', async () => {
    const response = await fetch(`${server.url}/v1/traces`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(401);
  });
});

describe('spans of agents', () => {
  const path = '/agents/otel/v1/traces';

  it('are shown as calls', async () => {
    const project = await server.newProject();
    await sendSpans(project, [{ ...ids, name: 'invoke_agent a', attributes: { 'gen_ai.agent.name': 'a' } }], path);
    expect(await read(project)).toMatchObject([{ id: ids.spanId, attributes: { agent_name: 'a' } }]);
  });

  it('leave a call alone that an SDK traces, whichever comes first', async () => {
    const project = await server.newProject();
    const start = {
      project_id: project,
      trace_id: ids.traceId,
      op_name: 'sdk',
      started_at: '2024-01-01T00:00:00Z',
      attributes: {},
      inputs: {},
    };
    const other = '00000000000000c2';
    await server.post('/call/start', { start: { ...start, id: ids.spanId } });
    await sendSpans(project, [ids, { ...ids, spanId: other }], path);
    await server.post('/call/start', { start: { ...start, id: other } });
    expect((await read(project)).map((call) => call.op_name)).toEqual(['sdk', 'sdk']);
  });
});

it('a span that has no end yet is a running call, and its end finishes it', async () => {
  const project = await server.newProject();
  await sendSpans(project, [{ ...ids, endTimeUnixNano: '0' }]);
  expect(await read(project)).toMatchObject([{ ended_at: null, summary: { weave: { status: 'running' } } }]);
  await sendSpans(project, [ids]);
  expect(await read(project)).toMatchObject([{ summary: { weave: { status: 'success' } } }]);
});

it('a body that grows too large is answered with 413', async () => {
  const body = gzipSync(Buffer.alloc(40 * 1024 * 1024));
  const headers = { 'content-encoding': 'gzip' };
  expect(await send(await server.newProject(), { body, headers })).toMatchObject({ status: 413 });
});
