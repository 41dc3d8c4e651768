import { expect, test, vi } from 'vitest';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

const traceId = 'f'.repeat(32);
const id = (name: string) => Buffer.from(name).toString('hex').padStart(16, '0');
const nameOf = (callId: string) =>
  callId.length === 16 ? Buffer.from(callId, 'hex').toString().replaceAll('\0', '') : callId;
const nanos = (second: number) => `${1_704_067_200 + second}000000000`;

/** A span of a trace that starts at a second; its parent need not be there. */
function span(name: string, parent: string, second: number, more: TestSpan = {}): TestSpan {
  const times = { startTimeUnixNano: nanos(second), endTimeUnixNano: nanos(second + 1) };
  return { name, traceId, spanId: id(name), ...(parent ? { parentSpanId: id(parent) } : {}), ...times, ...more };
}

async function send(...spans: TestSpan[]): Promise<void> {
  const body = otlpJson(spans);
  const answer = await project.post('/otel/v1/traces', body, { headers: { 'project-id': project.name } });
  expect(answer.status).toBe(200);
}

async function listed(filter: object = { topmost_calls_only: true }): Promise<string[]> {
  const { lines } = await project.post('/calls/stream_query', { project_id: project.name, filter });
  return lines.map((call: { id: string }) => nameOf(call.id));
}

/** Marks are set shortly after a write. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 100 });

async function expectEverywhere(name: string): Promise<void> {
  await eventually(async () => expect(await listed()).toEqual([name]));
  const filter = { topmost_calls_only: true };
  const count = await project.post('/calls/query_stats', { project_id: project.name, filter });
  expect(count.json.count).toBe(1);
  const stats = await project.post('/calls/stats', {
    ...{ project_id: project.name, filter, start: '2024-01-01', end: '2024-01-02', group_by: 'op' },
    ...{ call_metrics: [{ metric: 'call_count' }], usage_metrics: [{ metric: 'input_tokens' }] },
  });
  expect(stats.json.groups.map((group: { calls: number }) => group.calls)).toEqual([1]);
  expect(stats.json.call_buckets.map((bucket: { count: number }) => bucket.count)).toContain(1);
}

test('a trace whose root is elsewhere is listed, counted and charted by its topmost call', async () => {
  await send(span('c', 'b', 2), span('b', 'browser', 1), span('d', 'b', 3));
  await expectEverywhere('b');
  expect(await listed({ trace_roots_only: true })).toEqual([]);
  expect((await listed({})).sort()).toEqual(['b', 'c', 'd']);
});

test('a topmost call gives way to its parent when that arrives, in any order', async () => {
  await send(span('c', 'b', 2));
  await expectEverywhere('c');
  await send(span('b', 'a', 1));
  await expectEverywhere('b');
  await send(span('a', '', 0));
  await expectEverywhere('a');
  expect(await listed({ trace_roots_only: true })).toEqual(['a']);
  await send(span('late', 'missing', -5));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await listed()).toEqual(['a']);
});

test('of several calls without a parent here the first represents the trace', async () => {
  await send(span('c', 'x', 2), span('b', 'y', 1), span('d', 'z', 3));
  await expectEverywhere('b');
});

test.each([
  ['its own parent', [span('a', 'a', 1), span('b', 'a', 2)], 'a'],
  ['in a cycle', [span('c', 'b', 3), span('b', 'a', 2), span('a', 'c', 1)], 'a'],
  ['above a call that starts earlier', [span('b', 'a', 3), span('a', 'b', 2), span('c', 'b', 1)], 'a'],
])('a call that is %s represents its trace', async (_name, spans, top) => {
  await send(...spans);
  await expectEverywhere(top);
});

test('a deleted root leaves its trace to the topmost call that remains', async () => {
  await send(span('a', '', 0), span('b', 'missing', 1));
  await expectEverywhere('a');
  await project.post('/calls/delete', { project_id: project.name, call_ids: [id('a')] });
  await expectEverywhere('b');
  await project.post('/calls/delete', { project_id: project.name, call_ids: [id('b')] });
  await eventually(async () => expect(await listed()).toEqual([]));
});

test('calls of SDKs represent their traces in the same way', async () => {
  const parent_id = '0190a1b2-0000-7000-8000-000000000001';
  const trace_id = '0190a1b2-0000-7000-8000-000000000002';
  const [child] = await project.log({ trace_id, parent_id });
  await expectEverywhere(child!);
  await project.log({ trace_id, id: parent_id });
  await expectEverywhere(parent_id);
});

test('the topmost call of a thread is a turn of it on the page', async () => {
  const attributes = { 'session.id': 't' };
  await send(span('b', 'browser', 1, { attributes }), span('c', 'b', 2, { attributes }));
  const threads = async (filter: object) =>
    (await project.post('/threads/stream_query', { project_id: project.name, filter })).lines;
  await eventually(async () =>
    expect(await threads({ with_topmost_calls: true })).toMatchObject([
      { thread_id: 't', turn_count: 1, first_turn_id: id('b') },
    ]),
  );
  expect(await threads({})).toEqual([]);
  expect(await listed({ thread_ids: ['t'], turns_only: true })).toEqual(['b']);
  await send(span('browser', '', 0, { attributes }));
  await eventually(async () => {
    expect(await threads({ with_topmost_calls: true })).toMatchObject([
      { turn_count: 1, first_turn_id: id('browser') },
    ]);
    expect(await listed({ thread_ids: ['t'], turns_only: true })).toEqual(['browser']);
  });
  expect(await threads({})).toHaveLength(1);
});
