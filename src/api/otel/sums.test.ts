import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

const traceId = () => randomBytes(16).toString('hex');
const usage = (input: number, output: number) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
});
const agent = (spanId: string, input: number): TestSpan => ({
  ...{ name: 'invoke_agent a', spanId },
  attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'm', ...usage(input, 10) },
});
const chat = (spanId: string, parentSpanId: string, input: number, more: object = {}): TestSpan => ({
  ...{ name: 'chat m', spanId, parentSpanId },
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.response.model': 'm', ...usage(input, 5), ...more },
});

async function send(project: string, spans: TestSpan[]) {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json', project_id: project };
  const response = await fetch(`${server.url}/v1/traces`, { method: 'POST', body: otlpJson(spans), headers });
  expect(response.status).toBe(200);
}

/** What each call reports, and what its trace used. */
async function tokens(project: string, root: string) {
  const { lines } = await server.post('/calls/stream_query', { project_id: project });
  const own = Object.fromEntries(lines.map(({ id, summary }) => [id, summary.usage.m.input_tokens]));
  const { json } = await server.post('/calls/usage', { project_id: project, call_ids: [root] });
  return { own, once: json.call_usage_counted_once[root].m?.prompt_tokens };
}

const [A, B, C] = ['00000000000000a1', '00000000000000b1', '00000000000000c1'];

it('the sum of an agent is not counted beside the requests inside of it, whatever the sum is', async () => {
  const [project, trace] = [await server.newProject(), traceId()];
  const spans = [chat(B, A, 7), chat(C, A, 9), agent(A, 100)];
  await send(
    project,
    spans.map((span) => ({ ...span, traceId: trace })),
  );
  expect(await tokens(project, A)).toEqual({ own: { [A]: null, [B]: 7, [C]: 9 }, once: 16 });
});

it('nor where the requests came in an earlier export', async () => {
  const [project, trace] = [await server.newProject(), traceId()];
  await send(project, [{ ...chat(B, A, 7), traceId: trace }]);
  await send(project, [{ ...agent(A, 100), traceId: trace }]);
  expect(await tokens(project, A)).toEqual({ own: { [A]: null, [B]: 7 }, once: 7 });
});

it('the sum of an agent whose requests are not traced is counted, of two such the inner one', async () => {
  const [project, trace] = [await server.newProject(), traceId()];
  await send(project, [
    { ...agent(B, 40), traceId: trace, parentSpanId: A },
    { ...agent(A, 40), traceId: trace },
  ]);
  expect(await tokens(project, A)).toEqual({ own: { [A]: null, [B]: 40 }, once: 40 });
});

it('one request that two instrumentations trace is counted once', async () => {
  const [project, trace] = [await server.newProject(), traceId()];
  const id = { 'gen_ai.response.id': 'r1' };
  const other: TestSpan = { ...chat(C, A, 7, { ...id, 'gen_ai.response.model': 'm' }), name: 'ChatCompletion' };
  const root: TestSpan = {
    name: 'root',
    spanId: A,
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'm' },
  };
  await send(
    project,
    [chat(B, A, 7, id), other, root].map((span) => ({ ...span, traceId: trace })),
  );
  expect((await tokens(project, A)).once).toBe(7);
});
