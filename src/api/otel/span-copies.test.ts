import { describe, expect, test } from 'vitest';
import { spanCallId } from '../../domain/calls/ids.ts';
import { otlpJson, type TestSpan } from '../../otel/testing/span.ts';
import { freshProject } from '../testing/fresh-project.ts';

const project = freshProject();

const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
const [root, child, leaf] = ['00000000000000a1', '00000000000000a2', '00000000000000a3'];

async function send(spans: TestSpan[], path = '/otel/v1/traces'): Promise<void> {
  const headers = { 'project-id': project.name };
  const { status, json } = await project.post(path, otlpJson(spans), { headers });
  expect([status, json.partialSuccess?.errorMessage ?? '']).toEqual([200, '']);
}

async function calls(filter: object = {}): Promise<any[]> {
  return (await project.post('/calls/stream_query', { project_id: project.name, filter })).lines;
}

/** Every order of a list. */
function orders<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item, i) => orders(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

describe('a span id that occurs in two traces', () => {
  const spansOf = (traceId: string): TestSpan[] => [
    { name: 'root', traceId, spanId: root },
    { name: 'child', traceId, spanId: child, parentSpanId: root },
    { name: 'leaf', traceId, spanId: leaf, parentSpanId: child },
  ];

  const treeOf = async (traceId: string) => {
    const found = await calls({ trace_ids: [traceId] });
    const nameOf = (id: string) => found.find((call) => call.id === id)?.attributes.otel_span.name ?? id;
    return Object.fromEntries(found.map((call) => [nameOf(call.id), call.parent_id && nameOf(call.parent_id)]));
  };
  const tree = { root: null, child: 'root', leaf: 'child' };

  test('is two calls, the first of which keeps the id of its span', async () => {
    await send(spansOf(one));
    await send(spansOf(two));
    await send([...spansOf(two), ...spansOf(one)]); // both are sent again
    expect(await calls()).toHaveLength(6);
    expect((await calls({ call_ids: [root] }))[0].trace_id).toBe(one);
    const [second] = await calls({ call_ids: [spanCallId(two, root)] });
    expect(second).toMatchObject({ trace_id: two, attributes: { otel_span: { context: { span_id: root } } } });
    expect([await treeOf(one), await treeOf(two)]).toEqual([tree, tree]);
  });

  test('is two calls in one export too', async () => {
    await send([...spansOf(one), ...spansOf(two)]);
    expect([await treeOf(one), await treeOf(two)]).toEqual([tree, tree]);
  });

  test.each(orders(['root', 'child', 'leaf']))(
    'keeps the trees whole when %s, %s and %s come one by one',
    async (...names) => {
      for (const name of names) {
        for (const traceId of [one, two]) await send(spansOf(traceId).filter((span) => span.name === name));
      }
      expect(await calls()).toHaveLength(6);
      expect([await treeOf(one), await treeOf(two)]).toEqual([tree, tree]);
    },
  );

  test('keeps the turn of a thread', async () => {
    const attributes = { 'session.id': 't' };
    await send([{ traceId: one, spanId: root, attributes }]);
    await send([{ traceId: two, spanId: root, attributes }]);
    for (const call of await calls()) expect(call.turn_id).toBe(call.id);
    const { lines } = await project.post('/threads/stream_query', { project_id: project.name });
    expect(lines).toMatchObject([{ turn_count: 2 }]);
  });
});

describe('a copy of a span that was sent before its end', () => {
  const whole: TestSpan = {
    ...{ name: 'chat', traceId: one, spanId: child, parentSpanId: root },
    ...{ startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000002000000000' },
    attributes: { 'input.value': 'question', 'output.value': 'answer' },
  };
  const running = { ...whole, endTimeUnixNano: 0, attributes: { 'input.value': 'que' } };
  const flushed = { ...whole, endTimeUnixNano: '1700000001000000000', attributes: { 'output.value': 'ans' } };
  /** As Logfire announces a span: under an id of its own, below the span. */
  const pending = {
    ...{ ...whole, spanId: leaf, parentSpanId: child, endTimeUnixNano: whole.startTimeUnixNano! },
    attributes: {
      ...{ 'input.value': 'que', 'logfire.span_type': 'pending_span', 'logfire.pending_parent_id': root },
    },
  };

  const expectWhole = async () => {
    const found = await calls();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      ...{ id: child, parent_id: root, ended_at: '2023-11-14T22:13:22Z' },
      ...{ inputs: { 'input.value': 'question' }, output: { 'output.value': 'answer' } },
      summary: { weave: { status: 'success' } },
      attributes: { otel_span: { end_time_unix_nano: '1700000002000000000' } },
    });
  };

  test.each([
    ['a start', [running, whole]],
    ['a start that comes late', [whole, running]],
    ['a copy that was flushed', [flushed, whole]],
    ['a copy that was flushed and comes late', [whole, flushed]],
    ['a pending span', [pending, whole]],
    ['a pending span that comes late', [whole, pending]],
    ['everything twice', [pending, whole, running, pending, flushed, whole, flushed]],
  ])('%s does not replace the whole one', async (_name, copies) => {
    for (const copy of copies) await send([copy]);
    await expectWhole();
  });

  test('is distinguished from the whole one in the same export', async () => {
    await send([whole, running, pending, flushed]);
    await expectWhole();
  });

  test('shows the span while it runs', async () => {
    await send([pending]);
    expect(await calls()).toMatchObject([
      {
        id: child,
        parent_id: root,
        ended_at: null,
        inputs: { 'input.value': 'que' },
        summary: { weave: { status: 'running' } },
      },
    ]);
  });

  test('of an agent is not read in place of the whole one', async () => {
    for (const copy of [whole, running, flushed]) await send([copy], '/agents/otel/v1/traces');
    await expectWhole();
  });
});
