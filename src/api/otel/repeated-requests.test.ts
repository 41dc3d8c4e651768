import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
let trace: string;
beforeEach(async () => {
  project = await server.newProject();
  trace = randomBytes(16).toString('hex');
});

const sdkId = '00000000-0000-7000-8000-0000000000aa';
const [root, A, B] = ['00000000000000a0', '00000000000000a1', '00000000000000a2'];
const chat = (name: string, spanId: string, more: Record<string, unknown> = {}): TestSpan => ({
  ...{ name, scope: `tracer of ${name}`, spanId, traceId: trace, parentSpanId: root },
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.response.model': 'gpt-4o',
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
    ...more,
  },
});
const cached = { 'gen_ai.usage.cache_read.input_tokens': 80 };
const wrapper = (): TestSpan => ({ name: 'answer', spanId: root, traceId: trace });

async function send(...spans: TestSpan[]) {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', project_id: project };
  const response = await fetch(`${server.url}/v1/traces`, { method: 'POST', body: otlpJson(spans), headers });
  expect(response.status).toBe(200);
}

/** The input tokens of the project by every reader: statistics, costs of calls, and both sums of usage. */
async function counted(top: string) {
  const metrics = [{ metric: 'input_tokens', aggregations: ['sum'] }];
  const stats = await server.post('/calls/stats', {
    ...{ project_id: project, start: '2023-11-14T00:00:00Z', end: '2023-11-16T00:00:00Z', usage_metrics: metrics },
    ...{ granularity: 86_400, filter: { trace_roots_only: true } },
  });
  const { lines } = await server.post('/calls/stream_query', { project_id: project, include_costs: true });
  const costs = lines.flatMap(({ summary }) => Object.values(summary.weave.costs ?? {}) as any[]);
  const { json } = await server.post('/trace/usage', { project_id: project });
  const sum = (values: any[], name: string) => values.reduce((total, value) => total + (value[name] ?? 0), 0);
  return {
    stats: sum(stats.json.usage_buckets, 'sum_input_tokens'),
    costs: [sum(costs, 'prompt_tokens'), sum(costs, 'cache_read_input_tokens')],
    reported: sum(Object.values(json.call_usage[top]), 'prompt_tokens'),
    once: sum(Object.values(json.call_usage_counted_once[top]), 'prompt_tokens'),
  };
}

const once = { stats: 100, costs: [100, 80], reported: 100, once: 100 };

it('counts one request once that two tracers report in one export, or in two in either order', async () => {
  await send(chat('chat', A), chat('ChatCompletion', B, cached), wrapper());
  expect(await counted(root)).toEqual(once);
  for (const [first, second] of [
    [{}, cached],
    [cached, {}],
  ]) {
    project = await server.newProject();
    await send(chat('chat', A, first));
    await send(chat('ChatCompletion', B, second), wrapper());
    expect(await counted(root)).toEqual(once);
  }
});

it('counts one request once that is one span inside of another', async () => {
  await send(chat('ChatCompletion', A, cached));
  await send({ ...chat('chat', B), parentSpanId: A }, wrapper());
  expect(await counted(root)).toEqual(once);
});

it('counts one request once whose parents come last', async () => {
  await send({ ...chat('chat', B), parentSpanId: '00000000000000a3' });
  await send(chat('ChatCompletion', A, cached));
  await send({ ...wrapper(), spanId: '00000000000000a3', parentSpanId: root }, wrapper());
  expect(await counted(root)).toEqual(once);
});

it('counts one request once that an SDK and a span report', async () => {
  const usage = { 'gpt-4o': { prompt_tokens: 100, completion_tokens: 10, cache_read_input_tokens: 80 } };
  const times = { started_at: '2023-11-14T22:13:20Z', ended_at: '2023-11-14T22:13:21.5Z' };
  const fields = { project_id: project, trace_id: trace, attributes: {}, inputs: {}, output: null, ...times };
  const sdk = { ...fields, id: sdkId, op_name: 'openai.chat', summary: { usage } };
  const parent = { 'weave.parent_call.id': sdkId, 'weave.parent_call.trace_id': trace };
  await send({ ...chat('chat', A, parent), parentSpanId: '' });
  const answer = await server.post(`/v2/${project}/calls/complete`, { batch: [sdk] });
  expect([answer.status, answer.text]).toEqual([200, '{}']);
  expect(await counted(sdkId)).toEqual(once);
});

it('counts a request again when the call that counted for it is deleted', async () => {
  await send(chat('chat', A), chat('ChatCompletion', B, cached), wrapper());
  await server.post('/calls/delete', { project_id: project, call_ids: [B] });
  expect(await counted(root)).toEqual({ ...once, costs: [100, 0] });
});

it('counts requests of equal tokens that follow each other each', async () => {
  const later = { startTimeUnixNano: '1700000003000000000', endTimeUnixNano: '1700000004000000000' };
  await send(chat('chat', A), { ...chat('ChatCompletion', B), ...later }, wrapper());
  expect((await counted(root)).stats).toBe(200);
});

it('counts requests of one tracer each, whatever their names are, at once or one after another', async () => {
  const vote = (i: number, more: object = {}) => ({
    ...chat(`vote-${i}`, `00000000000000b${i}`),
    scope: 'votes',
    ...more,
  });
  await send(...[0, 1, 2, 3, 4].map((i) => vote(i)), wrapper());
  expect((await counted(root)).stats).toBe(500);
  expect(await counted(root)).toMatchObject({ costs: [500, 0], once: 500, reported: 500 });
  project = await server.newProject();
  const at = (i: number) => ({
    startTimeUnixNano: `170000000${i}000000000`,
    endTimeUnixNano: `170000000${i}900000000`,
  });
  await send(...[0, 1, 2, 3, 4].map((i) => vote(i, at(i))), wrapper());
  expect(await counted(root)).toMatchObject({ stats: 500, costs: [500, 0], once: 500, reported: 500 });
});

it('counts the requests of several that a second tracer reports too once each', async () => {
  const of = (scope: string, i: number) => ({ ...chat('chat', `000000000000${scope}b${i}`), scope });
  await send(...[0, 1, 2].map((i) => of('aa', i)), of('bb', 0), of('bb', 1), wrapper());
  expect(await counted(root)).toMatchObject({ stats: 300, costs: [300, 0], once: 300, reported: 300 });
});

it('counts requests with equal ids each, unless they overlap and have equal tokens of one model', async () => {
  const id = { 'gen_ai.response.id': 'chatcmpl-0' };
  const at = (i: number) => ({
    startTimeUnixNano: `170000000${i}000000000`,
    endTimeUnixNano: `170000000${i}900000000`,
  });
  const of = (i: number, more: object = {}, when = at(i)) => ({
    ...chat('chat', `00000000000000b${i}`, { ...id, ...more }),
    ...when,
  });
  await send(of(0), of(1), of(2, { 'gen_ai.usage.input_tokens': 200 }, at(0)), wrapper());
  expect(await counted(root)).toMatchObject({ stats: 400, costs: [400, 0], once: 400, reported: 400 });
  await send(of(3, { 'gen_ai.response.model': 'gpt-4o-mini' }, at(0)), of(4, {}, at(0)));
  expect(await counted(root)).toMatchObject({ stats: 500, costs: [500, 0], once: 500, reported: 500 });
});

it('reads the id of a response in the whole answer of a model', async () => {
  const of = (name: string, spanId: string): TestSpan => ({
    ...{ name, spanId, traceId: trace, parentSpanId: root, scope: 'openinference.instrumentation.google_genai' },
    attributes: {
      ...{ 'openinference.span.kind': 'LLM', 'llm.model_name': 'gemini-2.5-flash' },
      ...{ 'llm.token_count.prompt': 100, 'llm.token_count.completion': 10 },
      'output.value': JSON.stringify({ response_id: 'r-1', candidates: [] }),
    },
  });
  await send(of('GenerateContent', A), of('GenerateContentStream', B), wrapper());
  expect(await counted(root)).toEqual({ ...once, costs: [100, 0] });
});

it('counts what ag2 records of a request only where the request has no span', async () => {
  const record = (spanId: string): TestSpan => ({
    ...chat('record_usage model_call', spanId, { 'ag2.span.type': 'usage', 'ag2.usage.kind': 'model_call' }),
    ...{ scope: 'ag2', startTimeUnixNano: '1700000001600000000', endTimeUnixNano: '1700000001600010000' },
  });
  await send({ ...chat('chat', A), scope: 'ag2' }, record(B), wrapper());
  expect(await counted(root)).toMatchObject({ stats: 100, costs: [100, 0], once: 100, reported: 100 });
  project = await server.newProject();
  await send(record(B), wrapper());
  expect(await counted(root)).toMatchObject({ stats: 100, costs: [100, 0], once: 100, reported: 100 });
});
