import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { completeOf, logCalls, queryCalls, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();

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
    ['$eq 5 finds 5, "5" and 5.0 [calls 74]', `{"$eq":[${x},{"$literal":5}]}`, fives],
    ['$eq 5.0 finds 5, "5" and 5.0 [calls 74]', `{"$eq":[${x},{"$literal":5.0}]}`, fives],
    ['$eq "5" finds 5, "5" and 5.0 [calls 75]', `{"$eq":[${x},{"$literal":"5"}]}`, fives],
    ['$eq true finds true [calls 76]', `{"$eq":[${x},{"$literal":true}]}`, ['true']],
    ['$eq null finds nothing [calls 77]', `{"$eq":[${x},{"$literal":null}]}`, []],
    ['$eq "" finds null, "" and missing values [calls 78]', `{"$eq":[${x},{"$literal":""}]}`, ['null', '""', missing]],
    // An integer compares with any number, so 5.5 is different from 5 and not unknown.
    [
      '$not $eq 5 finds other numbers only [calls 79]',
      `{"$not":[{"$eq":[${x},{"$literal":5}]}]}`,
      ['5.5', '-1', '"10"'],
    ],
    ['$gt 1 finds larger numbers [calls 80]', `{"$gt":[${x},{"$literal":1}]}`, [...fives, '5.5', '"10"']],
    [
      '$gt 1 finds larger numbers after $convert to double [calls 80]',
      `{"$gt":[{"$convert":{"input":${x},"to":"double"}},{"$literal":1}]}`,
      [...fives, '5.5', '"10"'],
    ],
    [
      '$gt "1" compares as text [calls 81]',
      `{"$gt":[${x},{"$literal":"1"}]}`,
      [...fives, '5.5', 'true', '{}', '[1,2]', '"Hello World"', '"10"'],
    ],
    [
      '$convert to exists is false for null and missing values [calls 81]',
      `{"$eq":[{"$convert":{"input":${x},"to":"exists"}},{"$literal":true}]}`,
      all.filter((value) => value !== 'null' && value !== missing),
    ],
    ['$contains is case-sensitive [calls 82]', `{"$contains":{"input":${x},"substr":{"$literal":"hello"}}}`, []],
    [
      '$contains ignores case if asked [calls 82]',
      `{"$contains":{"input":${x},"substr":{"$literal":"hello"},"case_insensitive":true}}`,
      ['"Hello World"'],
    ],
    ['$in [5] finds 5, "5" and 5.0 [calls 82]', `{"$in":[${x},[{"$literal":5}]]}`, fives],
    ['$in [] finds nothing [calls 82]', `{"$in":[${x},[]]}`, []],
    [
      'a number in a path is an index of a list [calls 83]',
      '{"$eq":[{"$getField":"inputs.x.0"},{"$literal":1}]}',
      ['[1,2]'],
    ],
    [
      '$size is the length of the stored text [calls 84]',
      `{"$gt":[{"$size":${x}},{"$literal":3}]}`,
      ['true', '[1,2]', '"Hello World"'],
    ],
    ['accepts operators spelled with underscores', `{"eq_":[{"get_field_":"inputs.x"},{"literal_":5}]}`, fives],
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
    ['an escaped dot is part of a key [calls 85]', 'inputs.a\\.b', 1, 1],
    ['a plain dot separates keys [calls 85]', 'inputs.a.b', 1, 0],
    ['a number is also a key of an object', 'inputs.0', 'zero', 1],
  ])('%s', async (_name, path, value, count) => {
    expect((await find({ $eq: [field(path), literal(value)] })).calls).toHaveLength(count);
  });

  test.each<[string, unknown, number]>([
    ['rejects a negative index [calls 86]', { $eq: [field('inputs.x.-1'), literal(1)] }, 422],
    ['rejects an unknown field [calls 86]', { $eq: [field('foo'), literal(1)] }, 422],
    ['rejects an unknown computed field [calls 86]', { $eq: [field('summary.weave.foo'), literal(1)] }, 422],
    ['rejects an empty $and [calls 87]', { $and: [] }, 400],
    ['rejects $not of an object [calls 87]', { $not: { $eq: [field('id'), literal('x')] } }, 422],
    ['rejects $ne [calls 87]', { $ne: [field('id'), literal('x')] }, 422],
    ['rejects a time that cannot be parsed [calls 93]', { $gt: [field('started_at'), literal('abc')] }, 400],
    ['rejects an unknown field of queue items', { $eq: [field('annotation_queue_items.state'), literal('x')] }, 422],
    ['rejects a comparison of a text column with a number', { $eq: [field('op_name'), literal(5)] }, 400],
  ])('%s', async (_name, expression, status) => {
    const answer = await find(expression);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json.reason).toBeTruthy();
  });

  test('lists the known fields in the error for an unknown one [calls 86]', async () => {
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

  test('finds roots and children by their parent [calls 88]', async () => {
    const isRoot = { $eq: [field('parent_id'), literal(null)] };
    expect(await by(isRoot)).toEqual(['named', 'root', 'running', 'slow']);
    expect(await by({ $not: [isRoot] })).toEqual(['child']);
  });
  test.each([
    ['exception', { exception: 'a timeout' }],
    ['display_name', { display_name: 'a timeout' }],
    ['thread_id', { thread_id: 'a timeout' }],
    ['turn_id', { turn_id: 'a timeout' }],
    ['wb_run_id', { wb_run_id: 'ent/proj/a timeout' }],
    ['parent_id', { parent_id: '0timeout00000000' }],
    ['inputs.x', { inputs: { x: 'a timeout' } }],
    ['summary.x', { summary: { x: 'a timeout' } }],
    ['otel_dump', { otel_dump: { a: 'timeout' } }],
  ])('a call without %s does not contain a text in it', async (path, set) => {
    const own = await server.newProject();
    const [set_, unset] = await logCalls(server, own, [set, {}]);
    const contains = { $contains: { input: field(path), substr: literal('timeout'), case_insensitive: true } };
    const by = async ($expr: unknown) =>
      (await queryCalls(server, own, { query: { $expr } })).calls.map(({ id }) => id);
    expect(await by(contains)).toEqual([set_]);
    expect(await by({ $not: [contains] })).toEqual([unset]);
    expect(await by({ $and: [{ $not: [{ $not: [contains] }] }] })).toEqual([set_]);
  });

  test('a running call and one without a step do not contain a text in their end and step', async () => {
    const own = await server.newProject();
    await server.post('/call/start', { start: startOf(own) });
    for (const path of ['ended_at', 'wb_run_step', 'wb_run_step_end', 'deleted_at', 'summary.weave.latency_ms']) {
      const contains = { $contains: { input: field(path), substr: literal('7') } };
      expect((await queryCalls(server, own, { query: { $expr: contains } })).calls).toEqual([]);
      expect((await queryCalls(server, own, { query: { $expr: { $not: [contains] } } })).calls).toHaveLength(1);
    }
  });

  test('a comparison with an unset field is unknown, as in SQL: neither it nor its negation matches', async () => {
    const own = await server.newProject();
    const [, named] = await logCalls(server, own, [{}, { display_name: 'b', exception: 'b', thread_id: 'b' }]);
    for (const path of ['display_name', 'exception', 'thread_id']) {
      for (const compared of [
        { $eq: [field(path), literal('a')] },
        { $in: [field(path), [literal('a')]] },
        { $lt: [field(path), literal('a')] },
      ]) {
        const { calls } = await queryCalls(server, own, { query: { $expr: { $not: [compared] } } });
        expect(calls.map(({ id }) => id)).toEqual([named]);
      }
    }
  });

  test('finds calls by status [calls 89]', async () => {
    expect(await by({ $eq: [field('summary.weave.status'), literal('running')] })).toEqual(['running']);
  });
  test('finds calls by latency, but no running ones [calls 90]', async () => {
    expect(await by({ $gt: [field('summary.weave.latency_ms'), literal(1000)] })).toEqual(['slow']);
  });
  test('finds a call by its display name as the trace name [calls 91]', async () => {
    const contains = { input: field('summary.weave.trace_name'), substr: literal('fine') };
    expect(await by({ $contains: contains })).toEqual(['named']);
  });
  test.each([1704153599, '2024-01-01T23:59:59Z', '2024-01-01 23:59:59'])(
    'finds the calls started after %s [calls 92]',
    async (time) => {
      expect(await by({ $gt: [field('started_at'), literal(time)] })).toEqual(['child']);
    },
  );
  test('accepts a time before any call', async () => {
    expect(await by({ $lt: [field('started_at'), literal('0001-01-01')] })).toEqual([]);
  });
  test('compares a count in the summary as a number [calls 94]', async () => {
    expect(await by({ $gt: [field('summary.usage.m.total_tokens'), literal(10)] })).toEqual(['root']);
  });
  test.each(['é', '"quoted"', '\\ b', 'é "quoted" \\ back'])(
    'finds the call whose inputs contain %s [calls 95]',
    async (text) => {
      expect(await by({ $contains: { input: field('inputs.text'), substr: literal(text) } })).toEqual(['named']);
    },
  );
  test('accepts $in with 1,000 refs [calls 95]', async () => {
    const refs = Array.from({ length: 1000 }, (_, index) => literal(`weave:///${project}/object/o:${index}`));
    expect(await by({ $in: [field('inputs.text'), refs] })).toEqual([]);
  });
  test('empty lists, trace_roots_only false and unknown keys do not filter [calls 99 101 102]', async () => {
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
  test.each(['thread_ids', 'turn_ids'])('an empty %s matches nothing [calls 99]', async (name) => {
    expect(await found({ filter: { [name]: [] } })).toEqual([]);
  });
  test('rejects 1,001 trace_ids [calls 100]', async () => {
    const trace_ids = Array.from({ length: 1001 }, () => randomUUID());
    const answer = await queryCalls(server, project, { filter: { trace_ids } });
    expect(answer).toMatchObject({
      status: 400,
      json: { reason: expect.stringMatching(/trace_ids.*1001.*1000|trace_ids.*1000.*1001/) },
    });
  });
  test('all filter fields and the query must match [calls 102]', async () => {
    const query = { $expr: { $eq: [field('parent_id'), literal(null)] } };
    expect(await found({ filter: { call_ids: [ids.root, ids.child], trace_roots_only: true }, query })).toEqual([
      'root',
    ]);
    expect(await found({ filter: { call_ids: [ids.child] }, query })).toEqual([]);
  });
  test('finds the children of a parent', async () => {
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

  test('a wildcard finds every version of the op, and no other op [calls 96]', async () => {
    expect(await count({ op_names: [`weave:///${project}/op/f:*`] })).toBe(2);
    expect(await count({ op_names: [`weave:///${project}/op/f:v1`] })).toBe(1);
  });
  test('a plain op name matches the whole name only [calls 97]', async () => {
    expect(await count({ op_names: ['plain'] })).toBe(1);
    expect(await count({ op_names: ['f'] })).toBe(0);
  });
  test('a wildcard ref finds every version, also places inside it [calls 98]', async () => {
    expect(await count({ input_refs: [`weave:///${project}/object/m:*`] })).toBe(2);
    expect(await count({ output_refs: [`weave:///${project}/object/out:d1`] })).toBe(1);
  });
  test('an entry of another project matches nothing [calls 106]', async () => {
    expect(await count({ op_names: ['weave:///other/place/op/f:*'] })).toBe(0);
    expect(await count({ input_refs: ['weave:///other/place/object/m:*'] })).toBe(0);
  });
});
