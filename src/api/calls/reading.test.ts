import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { completeOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { type TestAnswer, testServer } from '../testing/server.ts';

const server = await testServer();

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
  test('sorts by start, and ties by id [calls 56]', async () => {
    const { order, ids } = await logAt([3, 1, 1, 2]);
    const tied = [1, 2].sort((a, b) => (ids[a]! < ids[b]! ? -1 : 1));
    expect(await order()).toEqual([...tied, 3, 0]);
  });

  test('breaks the ties of any other sort by id descending [calls 57]', async () => {
    const { order, ids } = await logAt([1, 1, 1]);
    const descending = [0, 1, 2].sort((a, b) => (ids[a]! < ids[b]! ? 1 : -1));
    expect(await order({ sort_by: [{ field: 'started_at', direction: 'desc' }] })).toEqual(descending);
    expect(await order({ sort_by: [{ field: 'op_name', direction: 'asc' }] })).toEqual(descending);
  });

  test('rejects a sort direction in capitals [calls 58]', async () => {
    const { project } = await logAt([]);
    const answer = await queryCalls(server, project, { sort_by: [{ field: 'started_at', direction: 'ASC' }] });
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'literal_error', loc: ['body', 'sort_by', 0, 'direction'] });
  });

  test('pages cover every call exactly once [calls 59]', async () => {
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
  ])('answers %j with %i [calls 60]', async (page, status) => {
    const { project } = await logAt([1]);
    expect(await queryCalls(server, project, page)).toMatchObject({ status, ...(status === 200 ? { text: '' } : {}) });
  });

  test('streams a long answer whole and in order', async () => {
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
  test('a path selects its whole column, and other columns are empty [calls 61]', async () => {
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

  test('rejects an unknown column [calls 61]', async () => {
    const { project } = await logAt([]);
    const answer = await queryCalls(server, project, { columns: ['nope'] });
    expect(answer).toMatchObject({ status: 422, json: { reason: expect.stringContaining('nope') } });
  });

  test('costs bring the stored summary with them [calls 62]', async () => {
    const project = await server.newProject();
    const summary = { usage: { 'gpt-4o': { prompt_tokens: 3 } }, own: { key: [1] }, weave: { mine: 1 } };
    await logCalls(server, project, [{ summary, inputs: { a: 1 }, output: 2 }]);
    for (const columns of [['inputs'], ['id'], ['inputs', 'summary']]) {
      const [call] = (await queryCalls(server, project, { columns, include_costs: true })).calls;
      expect(call.summary).toMatchObject({ usage: { 'gpt-4o': { prompt_tokens: 3 } }, own: { key: [1] } });
      expect(call.summary.weave).toMatchObject({ mine: 1, costs: { 'gpt-4o': { prompt_tokens: 3 } } });
      expect(call.output).toBe(null);
    }
    const [call] = (await queryCalls(server, project, { columns: ['inputs'] })).calls;
    expect(Object.keys(call.summary)).toEqual(['weave']);
  });

  test('returns sizes only if asked, and the total on the root only [calls 64]', async () => {
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

  test('returns the names of users if asked', async () => {
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

  test('returns the value in place of its ref, or only the ref if asked [calls 65]', async () => {
    const { project, ref, id } = await logWithObject();
    const query = { expand_columns: ['inputs.m'], filter: { call_ids: [id] } };
    const [expanded] = (await queryCalls(server, project, query)).calls;
    expect(expanded.inputs.m).toEqual({ field: 7, name: 'model', _ref: ref });
    const [plain] = (await queryCalls(server, project, { ...query, return_expanded_column_values: false })).calls;
    expect(plain.inputs.m).toBe(ref);
  });

  test('a query compares fields of the expanded object [calls 66]', async () => {
    const { project, id } = await logWithObject();
    const query = { $expr: { $eq: [{ $getField: 'inputs.m.field' }, { $literal: 7 }] } };
    const found = await queryCalls(server, project, { query, expand_columns: ['inputs.m'] });
    expect(found.calls.map((call) => call.id)).toEqual([id]);
    expect(await stats(project, { query, expand_columns: ['inputs.m'] })).toMatchObject({ count: 1 });
    expect(await stats(project, { query })).toMatchObject({ count: 0 });
  });

  test('returns a ref to nothing as a ref', async () => {
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

  test('sorts numbers, then text, then null and missing values [calls 67]', async () => {
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

  test.each(['asc', 'desc'])('a running call is last by latency, %s [calls 68]', async (direction) => {
    const project = await server.newProject();
    await logCalls(server, project, [{ ended_at: '2024-01-01T00:00:09Z' }, { ended_at: '2024-01-01T00:00:03Z' }]);
    await server.post('/call/start', { start: startOf(project) });
    const sort_by = [{ field: 'summary.weave.latency_ms', direction }];
    const latencies = (await queryCalls(server, project, { sort_by })).calls.map(
      (call) => call.summary.weave.latency_ms,
    );
    expect(latencies).toEqual(direction === 'asc' ? [3000, 9000, undefined] : [9000, 3000, undefined]);
  });

  test.each(['storage_size_bytes', 'total_storage_size_bytes', 'nope'])(
    'rejects a sort by %s [calls 69]',
    async (field) => {
      const project = await server.newProject();
      expect((await queryCalls(server, project, { sort_by: [{ field, direction: 'asc' }] })).status).toBe(422);
    },
  );
});

test('reads an unknown call as null [calls 70]', async () => {
  const project = await server.newProject();
  expect(await readCall(server, project, randomUUID())).toMatchObject({ status: 200, json: { call: null } });
});

describe('counting', () => {
  test('counts all calls [calls 71]', async () => {
    const { project } = await logAt([1, 2, 3, 4, 5]);
    expect(await stats(project)).toEqual({ count: 5, has_more: false, total_storage_size_bytes: null });
  });

  test('counts up to a limit [calls 72]', async () => {
    const { project } = await logAt([1, 2, 3, 4, 5]);
    expect(await stats(project, { limit: 3 })).toMatchObject({ count: 3, has_more: true });
    expect(await stats(project, { limit: 6 })).toMatchObject({ count: 5, has_more: false });
    expect((await server.post('/calls/query_stats', { project_id: project, limit: -1 })).status).toBe(400);
    const query = { $expr: { $eq: [{ $getField: 'op_name' }, { $literal: 'none' }] } };
    expect(await stats(project, { limit: 1, query })).toMatchObject({ count: 0, has_more: false });
  });

  test('returns the total storage size if asked [calls 73]', async () => {
    const { project } = await logAt([1, 2]);
    const bytes = (await stats(project, { include_total_storage_size: true })).total_storage_size_bytes;
    expect(bytes).toBe(2 * '{}{"index":0}null{}'.length);
  });
});

test('an unknown project is a 404 with its name [calls 26]', async () => {
  const answer = await queryCalls(server, 'ent/never-written');
  expect(answer).toMatchObject({ status: 404, json: { reason: expect.stringContaining('ent/never-written') } });
});

test('finds the dataset versions with rows of a call, and its queues', async () => {
  const name = await server.newProject();
  const project = { name, post: server.post };
  const [id, other] = (await logCalls(server, name, [{}, {}])) as [string, string];
  const uses = async (callId: string) =>
    (await project.post('/call/uses', { project_id: project.name, id: callId })).json;
  expect(await uses(id)).toEqual({ datasets: [], queues: [], training_jobs: [] });

  const row = (callId: string, n: number) => ({ n, source_call: `weave:///${project.name}/call/${callId}` });
  const rows = [row(id, 1), row(other, 2), row(id, 3)];
  const table = (await project.post('/table/create', { table: { project_id: project.name, rows } })).json.digest;
  const publish = async (more: object) => {
    const classes = { _type: 'Dataset', _class_name: 'Dataset', _bases: ['Object', 'BaseModel'] };
    const val = { ...classes, name: 'made', rows: `weave:///${project.name}/table/${table}`, ...more };
    const obj = { project_id: project.name, object_id: 'made', val };
    return (await project.post('/obj/create', { obj })).json.digest;
  };
  const [first, second] = [await publish({}), await publish({ description: 'again' })];
  const version = { object_id: 'made', rows: 2 };
  expect((await uses(id)).datasets).toEqual([
    { ...version, digest: second, version_index: 1, is_latest: true },
    { ...version, digest: first, version_index: 0, is_latest: false },
  ]);
  expect((await uses(other)).datasets.map(({ rows: count }: { rows: number }) => count)).toEqual([1, 1]);

  const queue = { project_id: project.name, name: 'review', description: '', scorer_refs: [] };
  const { id: queueId } = (await project.post('/annotation_queues', queue)).json;
  const calls = { project_id: project.name, call_ids: [id], display_fields: [] };
  await project.post(`/annotation_queues/${queueId}/items`, calls);
  expect((await uses(id)).queues).toEqual([{ id: queueId, name: 'review', annotation_state: 'unstarted' }]);
});

test('finds the training jobs that were made from a call', async () => {
  const project = await server.newProject();
  const chat = (content: string) => ({
    inputs: { messages: [{ role: 'user', content: 'Say yes or no.' }] },
    output: { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] },
  });
  const [id, other, unused] = (await logCalls(server, project, ['yes', 'no', 'maybe'].map(chat))) as string[];
  const uses = async (callId: string) =>
    (await server.post('/call/uses', { project_id: project, id: callId })).json.training_jobs;
  const wanted = { project_id: project, model: 'agent', base_model: 'heddle/tiny' };
  const sft = await server.post('/calls/train_sft', { ...wanted, chosen: [id, other, id] });
  const group = [
    { call_ids: [id], reward: 1 },
    { call_ids: [other], reward: 0 },
  ];
  const rl = await server.post('/calls/train', { ...wanted, chosen: [group] });
  const job = (type: string, { json }: TestAnswer) => ({
    id: json.id,
    type,
    model: 'agent',
    status: expect.any(String),
    ...{ weight: null, split: null },
  });
  expect(await uses(id!)).toEqual([job('rl', rl), job('sft', sft)]);
  expect(await uses(other!)).toHaveLength(2);
  expect(await uses(unused!)).toEqual([]);
  const elsewhere = await server.newProject();
  expect((await server.post('/call/uses', { project_id: elsewhere, id })).json.training_jobs).toEqual([]);
});
