import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it, test } from 'vitest';
import { decodeLogs } from '../../otel/decode/export.ts';
import {
  ExportLogsServiceRequestSchema,
  ExportLogsServiceResponseSchema,
  ExportMetricsServiceRequestSchema,
  ExportMetricsServiceResponseSchema,
} from '../../otel/proto/otlp.generated.ts';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

type Sending = { headers?: Record<string, string>; body: Uint8Array | string };

async function send(project: string, path: string, { headers = {}, body }: Sending) {
  const type = typeof body === 'string' ? 'application/json' : 'application/x-protobuf';
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: body as BodyInit,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type, project_id: project, ...headers },
  });
  return { status: response.status, body: await response.bytes() };
}

const text = (body: Uint8Array) => JSON.parse(Buffer.from(body).toString());
const newIds = () => ({ traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') });
const chat: TestSpan = { name: 'chat m', attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' } };

/** Log records as the official instrumentations send them: members of a message in the body. */
function logsJson(
  records: { traceId: string; spanId: string; eventName: string; time?: number; body: object }[],
): string {
  const logRecords = records.map(({ time = 1, body, ...record }) => ({
    ...record,
    timeUnixNano: `17000000000000000${String(time).padStart(2, '0')}`,
    body: anyValue(body),
    attributes: [{ key: 'gen_ai.system', value: { stringValue: 'openai' } }],
  }));
  return JSON.stringify({ resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords }] }] });
}

function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  const values = Object.entries(value as object).map(([key, each]) => ({ key, value: anyValue(each) }));
  return { kvlistValue: { values } };
}

const messages = (ids: { traceId: string; spanId: string }) =>
  logsJson([
    { ...ids, eventName: 'gen_ai.system.message', time: 1, body: { content: 'Be brief.' } },
    { ...ids, eventName: 'gen_ai.user.message', time: 2, body: { content: 'How is it?' } },
    { ...ids, eventName: 'gen_ai.choice', time: 3, body: { finish_reason: 'stop', message: { content: 'Sunny.' } } },
  ]);

const joined = {
  inputs: {
    'gen_ai.input.messages': [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How is it?' },
    ],
  },
  output: { 'gen_ai.output.messages': [{ role: 'assistant', content: 'Sunny.', finish_reason: 'stop' }] },
};

const spanTo = (project: string, span: TestSpan) => send(project, '/v1/traces', { body: otlpJson([span]) });
const callsOf = async (project: string) => (await server.post('/calls/stream_query', { project_id: project })).lines;

describe('log records', () => {
  it.each(['/otel/v1/logs', '/v1/logs'])('that come after their span are joined to it (%s)', async (path) => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    const answer = await send(project, path, { body: messages(ids) });
    expect([answer.status, text(answer.body)]).toEqual([200, { partial_success: null }]);
    expect(await callsOf(project)).toMatchObject([{ id: ids.spanId, ...joined }]);
  });

  it('that come before their span are joined to it', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await send(project, '/v1/logs', { body: messages(ids) });
    await spanTo(project, { ...chat, ...ids });
    expect(await callsOf(project)).toMatchObject([{ id: ids.spanId, ...joined }]);
  });

  it('stay with their span when it is sent again, and are added once when they are', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    await send(project, '/v1/logs', { body: messages(ids) });
    await send(project, '/v1/logs', { body: messages(ids) });
    await spanTo(project, { ...chat, ...ids });
    const [call] = await callsOf(project);
    expect(call).toMatchObject(joined);
    expect(call!.attributes.otel_span.events).toHaveLength(3);
  });

  it('are joined to the span of their trace where another trace has the same span id', async () => {
    const [project, ids, other] = [await server.newProject(), newIds(), newIds()];
    const twin = { ...ids, traceId: other.traceId };
    await spanTo(project, { ...chat, ...ids });
    await spanTo(project, { ...chat, ...twin });
    await send(project, '/v1/logs', { body: messages(twin) });
    const calls = await callsOf(project);
    expect(calls).toHaveLength(2);
    expect(calls.find((call) => call.trace_id === twin.traceId)).toMatchObject(joined);
    expect(calls.find((call) => call.trace_id === ids.traceId)).toMatchObject({ id: ids.spanId, inputs: {} });
  });

  it('that come in several exports at once are all joined', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    const one = (time: number) =>
      logsJson([{ ...ids, eventName: 'gen_ai.user.message', time, body: { content: `text ${time}` } }]);
    await Promise.all([1, 2, 3, 4, 5, 6].map((time) => send(project, '/v1/logs', { body: one(time) })));
    const [call] = await callsOf(project);
    expect(call!.inputs['gen_ai.input.messages'].map(({ content }: { content: string }) => content)).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((time) => `text ${time}`),
    ]);
  });

  it('of another trace do not join a span of the same id', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    await send(project, '/v1/logs', { body: messages({ ...ids, traceId: newIds().traceId }) });
    expect(await callsOf(project)).toMatchObject([{ inputs: {} }]);
  });

  it('come as protobuf and in gzip, too', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    const binary = toBinary(ExportLogsServiceRequestSchema, decodeLogs(Buffer.from(messages(ids)), 'json'));
    const answer = await send(project, '/v1/logs', { body: gzipSync(binary), headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).toBe(200);
    expect(fromBinary(ExportLogsServiceResponseSchema, answer.body).partialSuccess).toBeUndefined();
    expect(await callsOf(project)).toMatchObject([joined]);
  });

  it('of other kinds, and without a span, are counted as rejected, and the others are stored', async () => {
    const [project, ids] = [await server.newProject(), newIds()];
    await spanTo(project, { ...chat, ...ids });
    const records = [
      { ...ids, eventName: 'app.started', body: { content: 'secret' } },
      { ...ids, spanId: '', eventName: 'gen_ai.user.message', body: { content: 'secret' } },
      { ...ids, eventName: 'gen_ai.user.message', body: { content: 'kept' } },
    ];
    const json = logsJson(records);
    const { partial_success: partial } = text((await send(project, '/v1/logs', { body: json })).body);
    expect(partial).toEqual({ rejected_log_records: 2, error_message: expect.not.stringContaining('secret') });
    const binary = toBinary(ExportLogsServiceRequestSchema, decodeLogs(Buffer.from(json), 'json'));
    const answer = fromBinary(
      ExportLogsServiceResponseSchema,
      (await send(project, '/v1/logs', { body: binary })).body,
    );
    expect(answer.partialSuccess).toMatchObject({ rejectedLogRecords: 2n });
    const [call] = await callsOf(project);
    expect(call!.inputs).toEqual({ 'gen_ai.input.messages': [{ role: 'user', content: 'kept' }] });
  });

  test.each([
    ['broken protobuf', Buffer.from('not protobuf at all')],
    ['broken JSON', '{"resourceLogs":['],
    ['JSON of another shape', '{"resourceLogs":{}}'],
  ])('%s is answered with 400', async (_name, body) => {
    expect(await send(await server.newProject(), '/v1/logs', { body })).toMatchObject({ status: 400 });
  });
});

describe('metrics', () => {
  const points = [{}, {}];

  it.each(['/otel/v1/metrics', '/v1/metrics'])('are rejected in a partial success, all of them (%s)', async (path) => {
    const project = await server.newProject();
    const metrics = [
      { name: 'a', sum: { dataPoints: points } },
      { name: 'b', histogram: { dataPoints: [{}] } },
    ];
    const json = JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] });
    const answer = await send(project, path, { body: json });
    expect(answer.status).toBe(200);
    expect(text(answer.body).partial_success).toEqual({ rejected_data_points: 3, error_message: expect.any(String) });
    expect((await send(project, path, { body: Buffer.from('not protobuf at all') })).status).toBe(400);
  });

  it('as protobuf get an answer in protobuf', async () => {
    const message = create(ExportMetricsServiceRequestSchema, {
      resourceMetrics: [{ scopeMetrics: [{ metrics: [{ data: { case: 'gauge', value: { dataPoints: points } } }] }] }],
    });
    const body = toBinary(ExportMetricsServiceRequestSchema, message);
    const answer = await send(await server.newProject(), '/v1/metrics', { body });
    expect(fromBinary(ExportMetricsServiceResponseSchema, answer.body).partialSuccess).toMatchObject({
      rejectedDataPoints: 2n,
    });
  });
});
