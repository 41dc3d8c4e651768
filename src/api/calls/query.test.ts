import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeOf, logCalls, queryCalls, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const field = (path: string) => ({ $getField: path });
const literal = (value: unknown) => ({ $literal: value });

describe('values of JSON paths', () => {
  const values = ['5', '"5"', '5.0', '5.5', 'true', 'null', '{}', '[1,2]', '"Hello World"', '-1', '""', '"10"'];
  const missing = 'missing';
  const fives = ['5', '"5"', '5.0'];
  let project: string;
  let ids: string[];

  beforeAll(async () => {
    project = await server.newProject();
    const calls = [
      ...values.map((_, index) => completeOf(project, { inputs: { x: `VALUE${index}` } })),
      completeOf(project),
    ];
    const body = JSON.stringify({ batch: calls }).replaceAll(/"VALUE(\d+)"/g, (_, index) => values[index]!);
    await server.post(`/v2/${project}/calls/complete`, body);
    ids = calls.map((call) => call.id);
  });

  /** The values whose calls an expression, given as JSON text, finds. */
  async function matches(expression: string): Promise<string[]> {
    const body = `{"project_id":"${project}","query":{"$expr":${expression}}}`;
    const answer = await server.post('/calls/stream_query', body);
    expect(answer.text).not.toContain('"reason"');
    return answer.lines.map((call) => values[ids.indexOf(call.id)] ?? missing);
  }

  const x = '{"$getField":"inputs.x"}';
  const all = [...values, missing];

  test.each([
    ['row 74: $eq 5', `{"$eq":[${x},{"$literal":5}]}`, fives],
    ['row 74: $eq 5.0', `{"$eq":[${x},{"$literal":5.0}]}`, fives],
    ['row 75: $eq "5"', `{"$eq":[${x},{"$literal":"5"}]}`, fives],
    ['row 76: $eq true', `{"$eq":[${x},{"$literal":true}]}`, ['true']],
    ['row 77: $eq null', `{"$eq":[${x},{"$literal":null}]}`, []],
    ['row 78: $eq ""', `{"$eq":[${x},{"$literal":""}]}`, ['null', '""', missing]],
    // A number compares with every number, as ruled, so 5.5 is different from 5 and not unknown.
    ['row 79: $not $eq 5', `{"$not":[{"$eq":[${x},{"$literal":5}]}]}`, ['5.5', '-1', '"10"']],
    ['row 80, as ruled: $gt 1', `{"$gt":[${x},{"$literal":1}]}`, [...fives, '5.5', '"10"']],
    [
      'row 80: $gt 1 as double',
      `{"$gt":[{"$convert":{"input":${x},"to":"double"}},{"$literal":1}]}`,
      [...fives, '5.5', '"10"'],
    ],
    [
      'row 81: $gt "1"',
      `{"$gt":[${x},{"$literal":"1"}]}`,
      [...fives, '5.5', 'true', '{}', '[1,2]', '"Hello World"', '"10"'],
    ],
    [
      'row 81, as ruled: $convert to exists tests',
      `{"$eq":[{"$convert":{"input":${x},"to":"exists"}},{"$literal":true}]}`,
      all.filter((value) => value !== 'null' && value !== missing),
    ],
    ['row 82: $contains is case-sensitive', `{"$contains":{"input":${x},"substr":{"$literal":"hello"}}}`, []],
    [
      'row 82: $contains without case',
      `{"$contains":{"input":${x},"substr":{"$literal":"hello"},"case_insensitive":true}}`,
      ['"Hello World"'],
    ],
    ['row 82: $in [5]', `{"$in":[${x},[{"$literal":5}]]}`, fives],
    ['row 82: $in []', `{"$in":[${x},[]]}`, []],
    ['row 83: an index', '{"$eq":[{"$getField":"inputs.x.0"},{"$literal":1}]}', ['[1,2]']],
    ['row 84: $size > 3', `{"$gt":[{"$size":${x}},{"$literal":3}]}`, ['true', '[1,2]', '"Hello World"']],
    ['underscore spellings', `{"eq_":[{"get_field_":"inputs.x"},{"literal_":5}]}`, fives],
  ])('%s', async (_name, expression, expected) => {
    expect((await matches(expression)).sort()).toEqual([...expected].sort());
  });
});

describe('paths and shapes', () => {
  let project: string;
  beforeAll(async () => {
    project = await server.newProject();
    await logCalls(server, project, [{ inputs: { 'a.b': 1, '0': 'zero' } }]);
  });

  const find = ($expr: unknown) => queryCalls(server, project, { query: { $expr } });

  test.each([
    ['inputs.a\\.b', 1, 1],
    ['inputs.a.b', 1, 0],
    ['inputs.0', 'zero', 1],
  ])('row 85: %s', async (path, value, count) => {
    expect((await find({ $eq: [field(path), literal(value)] })).calls).toHaveLength(count);
  });

  test.each<[string, unknown, number]>([
    ['row 86: a negative index', { $eq: [field('inputs.x.-1'), literal(1)] }, 422],
    ['row 86: an unknown field', { $eq: [field('foo'), literal(1)] }, 422],
    ['row 86: an unknown computed field', { $eq: [field('summary.weave.foo'), literal(1)] }, 422],
    ['row 87: $and of nothing', { $and: [] }, 400],
    ['row 87: $not of an object', { $not: { $eq: [field('id'), literal('x')] } }, 422],
    ['row 87: $ne', { $ne: [field('id'), literal('x')] }, 422],
    ['row 93: a time that is none', { $gt: [field('started_at'), literal('abc')] }, 400],
    ['another field of queues', { $eq: [field('annotation_queue_items.state'), literal('x')] }, 422],
    ['a column against a number', { $eq: [field('op_name'), literal(5)] }, 400],
  ])('%s', async (_name, expression, status) => {
    const answer = await find(expression);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.reason).toBeTruthy();
  });

  test('row 86: the refusal of an unknown field lists the known ones', async () => {
    expect((await find({ $eq: [field('foo'), literal(1)] })).json.reason).toMatch(/foo.*started_at/s);
  });
});

describe('columns and computed fields', () => {
  let project: string;
  let ids: Record<'root' | 'child' | 'slow' | 'running' | 'named', string>;
  beforeAll(async () => {
    project = await server.newProject();
    const root = completeOf(project, { summary: { usage: { m: { total_tokens: 20 } } } });
    const child = completeOf(project, {
      parent_id: root.id,
      trace_id: root.trace_id,
      started_at: '2024-01-02T00:00:00Z',
    });
    const slow = completeOf(project, { ended_at: '2024-01-01T00:00:05Z' });
    const named = completeOf(project, { display_name: 'a fine name', inputs: { text: 'é "quoted" \\ back' } });
    await server.post(`/v2/${project}/calls/complete`, { batch: [root, child, slow, named] });
    const running = startOf(project);
    await server.post('/call/start', { start: running });
    ids = { root: root.id, child: child.id, slow: slow.id, named: named.id, running: running.id };
  });

  async function found(request: Record<string, unknown>): Promise<string[]> {
    const { calls } = await queryCalls(server, project, request);
    return calls.map((call) => Object.entries(ids).find(([, id]) => id === call.id)![0]).sort();
  }
  const by = ($expr: unknown) => found({ query: { $expr } });

  test('row 88: a parent that is unset, and one that is set', async () => {
    const isRoot = { $eq: [field('parent_id'), literal(null)] };
    expect(await by(isRoot)).toEqual(['named', 'root', 'running', 'slow']);
    expect(await by({ $not: [isRoot] })).toEqual(['child']);
  });
  test('row 89: the status', async () => {
    expect(await by({ $eq: [field('summary.weave.status'), literal('running')] })).toEqual(['running']);
  });
  test('row 90: the latency', async () => {
    expect(await by({ $gt: [field('summary.weave.latency_ms'), literal(1000)] })).toEqual(['slow']);
  });
  test('row 91: the trace name is the display name where there is one', async () => {
    const contains = { input: field('summary.weave.trace_name'), substr: literal('fine') };
    expect(await by({ $contains: contains })).toEqual(['named']);
  });
  test.each([1704153599, '2024-01-01T23:59:59Z', '2024-01-01 23:59:59'])('row 92: started after %s', async (time) => {
    expect(await by({ $gt: [field('started_at'), literal(time)] })).toEqual(['child']);
  });
  test('a time that no call can have', async () => {
    expect(await by({ $lt: [field('started_at'), literal('0001-01-01')] })).toEqual([]);
  });
  test('row 94: a count in the summary', async () => {
    expect(await by({ $gt: [field('summary.usage.m.total_tokens'), literal(10)] })).toEqual(['root']);
  });
  test.each(['é', '"quoted"', '\\ b', 'é "quoted" \\ back'])('row 95: $contains %s', async (text) => {
    expect(await by({ $contains: { input: field('inputs.text'), substr: literal(text) } })).toEqual(['named']);
  });
  test('row 95: $in with a thousand refs', async () => {
    const refs = Array.from({ length: 1000 }, (_, index) => literal(`weave:///${project}/object/o:${index}`));
    expect(await by({ $in: [field('inputs.text'), refs] })).toEqual([]);
  });
  test('rows 99 and 101: what does not filter', async () => {
    for (const filter of [
      { call_ids: [] },
      { trace_ids: [] },
      { op_names: [] },
      { trace_roots_only: false },
      { nothing: 1 },
    ]) {
      expect(await found({ filter })).toHaveLength(5);
    }
    expect(await found({ filter: { trace_roots_only: true } })).toEqual(['named', 'root', 'running', 'slow']);
  });
  test.each(['thread_ids', 'turn_ids'])('row 99: empty %s match nothing', async (name) => {
    expect(await found({ filter: { [name]: [] } })).toEqual([]);
  });
  test('row 100: 1001 traces are too many', async () => {
    const trace_ids = Array.from({ length: 1001 }, () => randomUUID());
    const answer = await queryCalls(server, project, { filter: { trace_ids } });
    expect(answer).toMatchObject({
      status: 400,
      json: { reason: expect.stringMatching(/trace_ids.*1001.*1000|trace_ids.*1000.*1001/) },
    });
  });
  test('row 102: all parts of a filter and the query together', async () => {
    const query = { $expr: { $eq: [field('parent_id'), literal(null)] } };
    expect(await found({ filter: { call_ids: [ids.root, ids.child], trace_roots_only: true }, query })).toEqual([
      'root',
    ]);
    expect(await found({ filter: { call_ids: [ids.child] }, query })).toEqual([]);
  });
  test('parents, and a row 102 query with a filter on traces', async () => {
    expect(await found({ filter: { parent_ids: [ids.root] } })).toEqual(['child']);
  });
});

describe('ops and refs in filters', () => {
  let project: string;
  beforeAll(async () => {
    project = await server.newProject();
    const op = (name: string, digest: string) => `weave:///${project}/op/${name}:${digest}`;
    await logCalls(server, project, [
      { op_name: op('f', 'v1'), inputs: { m: `weave:///${project}/object/m:d1` } },
      { op_name: op('f', 'v2'), inputs: { m: `weave:///${project}/object/m:d2/attr/x` } },
      { op_name: op('f2', 'v1'), inputs: { m: `weave:///${project}/object/m2:d1` } },
      { op_name: 'plain', output: `weave:///${project}/object/out:d1` },
    ]);
  });
  const count = async (filter: Record<string, string[]>) =>
    (await queryCalls(server, project, { filter })).calls.length;

  test('row 96: every version of an op, and of no other', async () => {
    expect(await count({ op_names: [`weave:///${project}/op/f:*`] })).toBe(2);
    expect(await count({ op_names: [`weave:///${project}/op/f:v1`] })).toBe(1);
  });
  test('row 97: a text op by its whole name', async () => {
    expect(await count({ op_names: ['plain'] })).toBe(1);
    expect(await count({ op_names: ['f'] })).toBe(0);
  });
  test('row 98: every version of an object, also below it', async () => {
    expect(await count({ input_refs: [`weave:///${project}/object/m:*`] })).toBe(2);
    expect(await count({ output_refs: [`weave:///${project}/object/out:d1`] })).toBe(1);
  });
  test('row 106: entries of another project match nothing', async () => {
    expect(await count({ op_names: ['weave:///other/place/op/f:*'] })).toBe(0);
    expect(await count({ input_refs: ['weave:///other/place/object/m:*'] })).toBe(0);
  });
});
