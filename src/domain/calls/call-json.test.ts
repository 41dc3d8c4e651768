import { expect, test } from 'vitest';
import { callJson } from './call-json.ts';
import { selectColumns } from './columns.ts';
import type { FoundCall } from './found-call.ts';

const call: FoundCall = {
  projectId: 'internal',
  startedAt: 1_704_067_200_000_000,
  id: 'c',
  traceId: 't',
  parentId: '',
  threadId: '',
  turnId: '',
  opName: 'weave:///e/p/op/predict:abc',
  displayName: '',
  endedAt: 1_704_067_201_500_123,
  status: 'success',
  exception: '',
  attributes: '{}',
  inputs: '{"n":123456789012345678901234567890,"f":1.0,"a":null,"":2}',
  output: '"text"',
  summary: '{}',
  otelDump: '',
  wbUserId: 'u',
  wbRunId: '',
  wbRunStep: '0',
  wbRunStepEnd: null,
  storageSizeBytes: null,
  totalStorageSizeBytes: null,
  usage: [],
};

const answer = (fields: Partial<FoundCall>, columns: string[] | null = null) =>
  JSON.parse(callJson({ ...call, ...fields }, 'e/p', selectColumns(columns)));

test('returns every field, and null for what is not set', () => {
  expect(answer({})).toEqual({
    id: 'c',
    project_id: 'e/p',
    op_name: 'weave:///e/p/op/predict:abc',
    display_name: null,
    trace_id: 't',
    parent_id: null,
    thread_id: null,
    turn_id: null,
    started_at: '2024-01-01T00:00:00Z',
    attributes: {},
    inputs: expect.anything(),
    ended_at: '2024-01-01T00:00:01.500123Z',
    exception: null,
    output: 'text',
    summary: { weave: { status: 'success', latency_ms: 1500, trace_name: 'predict' } },
    wb_user_id: 'u',
    wb_run_id: null,
    wb_run_step: 0,
    wb_run_step_end: null,
    deleted_at: null,
    expire_at: null,
    storage_size_bytes: null,
    total_storage_size_bytes: null,
  });
});

test('returns payloads digit for digit [calls 13 14 15]', () => {
  expect(callJson(call, 'e/p', null)).toContain(`"inputs":${call.inputs},`);
});

test('a running call has no latency [calls 28]', () => {
  expect(answer({ endedAt: null, status: 'running' })).toMatchObject({
    ended_at: null,
    summary: { weave: { status: 'running', trace_name: 'predict' } },
  });
});

test('a call that ends before its start has a negative latency, rounded down [calls 45]', () => {
  expect(answer({ endedAt: call.startedAt - 1_000_000 }).summary.weave.latency_ms).toBe(-1000);
  expect(answer({ endedAt: call.startedAt - 1 }).summary.weave.latency_ms).toBe(-1);
});

test('keeps what the client stored under weave, except for computed keys [calls 46]', () => {
  const summary = '{"weave":{"status":"x","mine":1.0,"trace_name":"y","latency_ms":7},"usage":{}}';
  expect(answer({ summary, displayName: 'd' }).summary).toEqual({
    usage: {},
    weave: { mine: 1, status: 'success', latency_ms: 1500, display_name: 'd' },
  });
  expect(callJson({ ...call, summary }, 'e/p', null)).toContain('"mine":1.0');
  expect(answer({ summary: '{"weave":null,"a":1}' }).summary).toMatchObject({ a: 1, weave: { status: 'success' } });
});

test('costs replace what the client stored under their key', () => {
  const summary = '{"weave":{"costs":1,"toString":2}}';
  const json = callJson({ ...call, summary }, 'e/p', null, undefined, { costs: '{"m":{}}' });
  expect(JSON.parse(json).summary.weave).toMatchObject({ costs: { m: {} }, toString: 2, status: 'success' });
  expect(json.match(/"costs"/g)).toHaveLength(1);
  expect(answer({ summary }).summary.weave.costs).toBe(1);
});

test('a display name replaces the trace name [calls 47]', () => {
  expect(answer({}).summary.weave.trace_name).toBe('predict');
  expect(answer({ opName: 'plain' }).summary.weave.trace_name).toBe('plain');
  expect(answer({ displayName: 'd' }).summary.weave).toEqual({
    status: 'success',
    latency_ms: 1500,
    display_name: 'd',
  });
});

test('returns the raw OTLP span of a call among its attributes', () => {
  expect(answer({ attributes: '{"a":1}', otelDump: '{"name":"s"}' }).attributes).toEqual({
    a: 1,
    otel_span: { name: 's' },
  });
});

test('columns that are not selected are empty [calls 61]', () => {
  const found = answer({ inputs: '{"x":1}', attributes: '{}', output: 'null', wbRunStep: '3' }, ['inputs.x']);
  expect(found).toMatchObject({
    inputs: { x: 1 },
    output: null,
    attributes: {},
    wb_run_step: null,
    ended_at: null,
    id: 'c',
  });
  expect(found.summary.weave.status).toBe('success');
});
