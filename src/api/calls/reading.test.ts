import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const stats = async (project: string, more: Record<string, unknown> = {}) =>
  (await server.post('/calls/query_stats', { project_id: project, ...more })).json;

/** Calls with these start seconds, named by their place in the list. */
async function logAt(seconds: number[]) {
  const project = await server.newProject();
  const ids = await logCalls(
    server,
    project,
    seconds.map((second, index) => ({ started_at: 1_700_000_000 + second, inputs: { index } })),
  );
  const order = async (query: Record<string, unknown> = {}) => {
    const { calls } = await queryCalls(server, project, query);
    return calls.map((call) => ids.indexOf(call.id));
  };
  return { project, ids, order };
}

describe('order and pages', () => {
  test('row 56: by start, ties by id', async () => {
    const { order, ids } = await logAt([3, 1, 1, 2]);
    const tied = [1, 2].sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    expect(await order()).toEqual([...tied, 3, 0]);
  });

  test('row 57: newest first, and any other sort, have ties by id descending', async () => {
    const { order, ids } = await logAt([1, 1, 1]);
    const descending = [0, 1, 2].sort((a, b) => (ids[a]! < ids[b]! ? 1 : -1));
    expect(await order({ sort_by: [{ field: 'started_at', direction: 'desc' }] })).toEqual(descending);
    expect(await order({ sort_by: [{ field: 'op_name', direction: 'asc' }] })).toEqual(descending);
  });

  test('row 58: a direction in capitals is a 422', async () => {
    const { project } = await logAt([]);
    const answer = await queryCalls(server, project, { sort_by: [{ field: 'started_at', direction: 'ASC' }] });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'literal_error', loc: ['body', 'sort_by', 0, 'direction'] });
  });

  test('row 59: a page, and all pages together', async () => {
    const { order } = await logAt([1, 2, 3, 4, 5]);
    expect(await order({ limit: 2, offset: 1 })).toEqual([1, 2]);
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => order({ limit: 2, offset })));
    expect(pages.flat()).toEqual([0, 1, 2, 3, 4]);
    expect(await order({ offset: 3 })).toEqual([3, 4]);
  });

  test.each([
    [{ limit: 0 }, 200],
    [{ limit: -1 }, 400],
    [{ offset: -1 }, 400],
  ])('row 60: %j answers %i', async (page, status) => {
    const { project } = await logAt([1]);
    expect(await queryCalls(server, project, page)).toMatchObject({ status, ...(status === 200 ? { text: '' } : {}) });
  });

  test('a long answer streams whole and in order', async () => {
    const project = await server.newProject();
    const calls = Array.from({ length: 5000 }, (_, index) => ({
      started_at: 1_700_000_000 + index,
      inputs: { index },
    }));
    await logCalls(server, project, calls);
    const found = await queryCalls(server, project);
    expect(found.calls.map((call) => call.inputs.index)).toEqual(calls.map((_, index) => index));
  });
});

describe('columns', () => {
  test('row 61: a path selects its whole column; other fields are there and empty', async () => {
    const { project } = await logAt([]);
    await logCalls(server, project, [{ inputs: { x: 1, y: 2 }, output: 5, attributes: { a: 1 } }]);
    const [call] = (await queryCalls(server, project, { columns: ['inputs.x'] })).calls;
    expect(call).toMatchObject({
      inputs: { x: 1, y: 2 },
      output: null,
      attributes: {},
      op_name: 'op',
      project_id: project,
    });
  });

  test('row 61: an unknown column is a 422', async () => {
    const { project } = await logAt([]);
    const answer = await queryCalls(server, project, { columns: ['nope'] });
    expect(answer).toMatchObject({ status: 422, json: { reason: expect.stringContaining('nope') } });
  });

  test('row 64: sizes only when asked, of the whole trace on its root', async () => {
    const project = await server.newProject();
    const root = completeOf(project, { inputs: { a: 'x'.repeat(100) } });
    const child = completeOf(project, { trace_id: root.trace_id, parent_id: root.id, output: 'y'.repeat(50) });
    await server.post(`/v2/${project}/calls/complete`, { batch: [root, child] });
    const plain = (await queryCalls(server, project)).calls;
    expect(plain.map((call) => call.storage_size_bytes)).toEqual([null, null]);
    const { calls } = await queryCalls(server, project, {
      include_storage_size: true,
      include_total_storage_size: true,
    });
    const [ofRoot, ofChild] = [root, child].map(({ id }) => calls.find((call) => call.id === id));
    expect(ofRoot.storage_size_bytes).toBe(`{}{"a":"${'x'.repeat(100)}"}null{}`.length);
    expect(ofRoot.total_storage_size_bytes).toBe(ofRoot.storage_size_bytes + ofChild.storage_size_bytes);
    expect(ofChild.total_storage_size_bytes).toBeNull();
  });

  test('names of users come when asked for', async () => {
    const { project } = await logAt([1]);
    expect((await queryCalls(server, project)).calls[0]).not.toHaveProperty('wb_username');
    expect((await queryCalls(server, project, { include_usernames: true })).calls[0].wb_username).toBe('ent');
  });
});

describe('looking through refs', () => {
  async function logWithObject() {
    const project = await server.newProject();
    const obj = { project_id: project, object_id: 'm', val: { field: 7, name: 'model' } };
    const { digest } = (await server.post('/obj/create', { obj })).json;
    const ref = `weave:///${project}/object/m:${digest}`;
    const [id] = await logCalls(server, project, [{ inputs: { m: ref } }, { inputs: { m: 'no ref' } }]);
    return { project, ref, id };
  }

  test('row 65: the value stands in place of its ref, or only the ref is answered', async () => {
    const { project, ref, id } = await logWithObject();
    const query = { expand_columns: ['inputs.m'], filter: { call_ids: [id] } };
    const [expanded] = (await queryCalls(server, project, query)).calls;
    expect(expanded.inputs.m).toEqual({ field: 7, name: 'model', _ref: ref });
    const [plain] = (await queryCalls(server, project, { ...query, return_expanded_column_values: false })).calls;
    expect(plain.inputs.m).toBe(ref);
  });

  test('row 66: a query sees the fields of the object', async () => {
    const { project, id } = await logWithObject();
    const query = { $expr: { $eq: [{ $getField: 'inputs.m.field' }, { $literal: 7 }] } };
    const found = await queryCalls(server, project, { query, expand_columns: ['inputs.m'] });
    expect(found.calls.map((call) => call.id)).toEqual([id]);
    expect(await stats(project, { query, expand_columns: ['inputs.m'] })).toMatchObject({ count: 1 });
    expect(await stats(project, { query })).toMatchObject({ count: 0 });
  });

  test('a ref to nothing stays a ref', async () => {
    const project = await server.newProject();
    const ref = `weave:///${project}/object/none:latest`;
    const [id] = await logCalls(server, project, [{ inputs: { m: ref } }]);
    const { calls } = await queryCalls(server, project, { expand_columns: ['inputs.m'], filter: { call_ids: [id] } });
    expect(calls[0].inputs.m).toBe(ref);
  });
});

describe('sorting', () => {
  const mixed = [5, '5', 'FLOAT', 5.5, true, null, {}, [1, 2], 'Hello World', -1, '', '10'];

  /** Calls whose `inputs.x` holds each of the mixed values; the last has none. */
  async function logMixed() {
    const project = await server.newProject();
    const calls = [...mixed.map((x) => completeOf(project, { inputs: { x } })), completeOf(project)];
    const body = JSON.stringify({ batch: calls }).replace('"FLOAT"', '5.0');
    expect((await server.post(`/v2/${project}/calls/complete`, body)).text).toBe('{}');
    return project;
  }

  test('row 67: numbers, then text, then nothing', async () => {
    const project = await logMixed();
    const sorted = async (direction: string) => {
      const { text } = await queryCalls(server, project, { sort_by: [{ field: 'inputs.x', direction }] });
      return text
        .trimEnd()
        .split('\n')
        .map((line) => /"inputs":\{(?:"x":(.*?))?\},"ended_at"/.exec(line)?.[1] ?? 'missing');
    };
    const fives = ['5', '"5"', '5.0'];
    const ascending = await sorted('asc');
    expect(ascending.slice(1, 4).sort()).toEqual([...fives].sort());
    expect(ascending.toSpliced(1, 3)).toEqual([
      '-1',
      '5.5',
      '"10"',
      '""',
      '"Hello World"',
      '[1,2]',
      'true',
      '{}',
      ...ascending.slice(-2),
    ]);
    expect(ascending.slice(-2).sort()).toEqual(['missing', 'null']);
    const descending = await sorted('desc');
    expect(descending.slice(2, 5).sort()).toEqual([...fives].sort());
    expect(descending.toSpliced(2, 3)).toEqual([
      '"10"',
      '5.5',
      '-1',
      '{}',
      'true',
      '[1,2]',
      '"Hello World"',
      '""',
      ...descending.slice(-2),
    ]);
  });

  test.each(['asc', 'desc'])('row 68: a running call comes last by latency, %s', async (direction) => {
    const project = await server.newProject();
    await logCalls(server, project, [{ ended_at: '2024-01-01T00:00:09Z' }, { ended_at: '2024-01-01T00:00:03Z' }]);
    await server.post('/call/start', { start: startOf(project) });
    const sort_by = [{ field: 'summary.weave.latency_ms', direction }];
    const latencies = (await queryCalls(server, project, { sort_by })).calls.map(
      (call) => call.summary.weave.latency_ms,
    );
    expect(latencies).toEqual(direction === 'asc' ? [3000, 9000, undefined] : [9000, 3000, undefined]);
  });

  test.each(['storage_size_bytes', 'total_storage_size_bytes', 'nope'])('row 69: by %s is a 422', async (field) => {
    const project = await server.newProject();
    expect((await queryCalls(server, project, { sort_by: [{ field, direction: 'asc' }] })).status).toBe(422);
  });
});

test('row 70: an unknown call reads as null', async () => {
  const project = await server.newProject();
  expect(await readCall(server, project, randomUUID())).toMatchObject({ status: 200, json: { call: null } });
});

describe('counting', () => {
  test('row 71: all of them', async () => {
    const { project } = await logAt([1, 2, 3, 4, 5]);
    expect(await stats(project)).toEqual({ count: 5, has_more: false, total_storage_size_bytes: null });
  });

  test('row 72: up to a limit', async () => {
    const { project } = await logAt([1, 2, 3, 4, 5]);
    expect(await stats(project, { limit: 3 })).toMatchObject({ count: 3, has_more: true });
    expect(await stats(project, { limit: 6 })).toMatchObject({ count: 5, has_more: false });
    expect((await server.post('/calls/query_stats', { project_id: project, limit: -1 })).status).toBe(400);
    const query = { $expr: { $eq: [{ $getField: 'op_name' }, { $literal: 'none' }] } };
    expect(await stats(project, { limit: 1, query })).toMatchObject({ count: 0, has_more: false });
  });

  test('row 73: with what they take to store', async () => {
    const { project } = await logAt([1, 2]);
    const bytes = (await stats(project, { include_total_storage_size: true })).total_storage_size_bytes;
    expect(bytes).toBe(2 * '{}{"index":0}null{}'.length);
  });
});

test('an unknown project is a 404', async () => {
  const answer = await queryCalls(server, 'ent/never-written');
  expect(answer).toMatchObject({ status: 404, json: { reason: expect.stringContaining('ent/never-written') } });
});
