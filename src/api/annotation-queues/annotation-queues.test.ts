import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { completeOf, endOf, logCalls, queryCalls, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
/** The key of a second user of the entity. */
let secondKey: string;
beforeAll(async () => {
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'second', entity: 'ent' });
  secondKey = (await askRunning(config, 'keys.create', { user: 'second' }))!.answer.key;
});
beforeEach(async () => {
  project = await server.newProject();
});

const send = (method: string, path: string, body: object, key = server.key) =>
  server.post(`/annotation_queues${path}`, { project_id: project, ...body }, { method, key });
const post = (path: string, body: object, key?: string) => send('POST', path, body, key);

const ofQueue = (method: 'GET' | 'DELETE', id: string) =>
  server.get(`/annotation_queues/${id}?project_id=${encodeURIComponent(project)}`, { method });

async function newQueue(more: object = {}): Promise<string> {
  const { json, text } = await post('', { name: 'Errors', scorer_refs: [], ...more });
  if (!json?.id) throw new Error(text);
  return json.id;
}

const add = (queue: string, callIds: string[], more: object = {}) =>
  post(`/${queue}/items`, { call_ids: callIds, display_fields: ['inputs.q'], ...more });

async function items(queue: string, more: object = {}) {
  const { status, json, text } = await post(`/${queue}/items/query`, more);
  if (status !== 200) throw new Error(text);
  return json.items;
}

const progress = (queue: string, item: string, state: string, key?: string) =>
  post(`/${queue}/items/${item}/progress`, { annotation_state: state }, key);

async function stats(...ids: string[]) {
  return (await post('/stats', { queue_ids: ids })).json.stats;
}

const calls = (count: number) =>
  logCalls(
    server,
    project,
    Array.from({ length: count }, (_, n) => ({ inputs: { n } })),
  );

/** A queue with so many calls, and its items. */
async function filledQueue(count: number) {
  const queue = await newQueue();
  const ids = await calls(count);
  await add(queue, ids);
  return { queue, ids, items: await items(queue) };
}

describe('queues', () => {
  test('requires scorer_refs, which may be empty [objects 180]', async () => {
    const { status, json } = await post('', { name: 'q' });
    expect([status, json.detail]).toMatchObject([422, [{ type: 'missing', loc: ['body', 'scorer_refs'] }]]);
    const id = await newQueue({ name: 'q', wb_user_id: 'somebody-else' });
    const { queue } = (await ofQueue('GET', id)).json;
    expect(queue).toMatchObject({
      id,
      project_id: project,
      name: 'q',
      description: '',
      scorer_refs: [],
      deleted_at: null,
    });
    expect(queue.created_at).toBe(queue.updated_at);
    expect(queue.created_by).not.toBe('somebody-else');
  });

  test('names need not be unique [objects 181]', async () => {
    const [one, two] = [await newQueue(), await newQueue()];
    expect(one).not.toBe(two);
    expect((await post('/query', {})).lines).toHaveLength(2);
  });

  test('finds queues by a part of the name, ignoring case and without wildcards [objects 182]', async () => {
    await newQueue({ name: 'My Errors' });
    await newQueue({ name: '100% É_x' });
    const names = async (name: string) => (await post('/query', { name })).lines.map((queue) => queue.name);
    const answer = await post('/query', { name: 'eRr' });
    expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
    expect(answer.text).toMatch(/^\{.*\}\n$/);
    expect(await names('eRr')).toEqual(['My Errors']);
    expect(await names('é_X')).toEqual(['100% É_x']);
    expect(await names('0%')).toEqual(['100% É_x']);
    expect(await names('y_E')).toEqual([]);
    expect(await names('')).toHaveLength(2);
    expect((await post('/query', { name: 'none' })).text).toBe('');
  });

  test('returns the newest first, or sorts by a known field [objects 183]', async () => {
    const ids = [await newQueue({ name: 'b' }), await newQueue({ name: 'c' }), await newQueue({ name: 'a' })];
    const order = async (body: object) => (await post('/query', body)).lines.map((queue) => ids.indexOf(queue.id));
    expect(await order({})).toEqual([2, 1, 0]);
    expect(await order({ sort_by: [{ field: 'name', direction: 'asc' }] })).toEqual([2, 0, 1]);
    expect(await order({ sort_by: [{ field: 'id', direction: 'asc' }] })).toEqual([0, 1, 2]);
    expect(await order({ sort_by: [{ field: 'created_by', direction: 'asc' }] })).toEqual([2, 1, 0]);
    expect(await order({ sort_by: [{ field: 'toString', direction: 'asc' }] })).toEqual([2, 1, 0]);
    expect(await order({ limit: 1, offset: 1 })).toEqual([1]);
    expect(await order({ limit: 0 })).toEqual([]);
    expect(await order({ limit: 1e30, offset: 2 })).toEqual([0]);
    expect((await post('/query', { limit: -1 })).status).toBe(400);
    expect((await post('/query', { sort_by: [{ field: 'name', direction: 'up' }] })).status).toBe(422);
  });

  test('changes only the fields that are sent [objects 184]', async () => {
    const scorer = `weave:///${project}/object/scorer:abc`;
    const id = await newQueue({ description: 'first', scorer_refs: [scorer] });
    const before = (await ofQueue('GET', id)).json.queue;
    expect((await send('PUT', `/${id}`, { description: null })).json.queue).toEqual(before);
    while (Date.now() <= Date.parse(before.updated_at)); // times are told in milliseconds
    const renamed = (await send('PUT', `/${id}`, { name: 'new' })).json.queue;
    expect(renamed).toMatchObject({ name: 'new', description: 'first', scorer_refs: [scorer] });
    expect(Date.parse(renamed.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    const emptied = (await send('PUT', `/${id}`, { description: '', scorer_refs: [] })).json.queue;
    expect(emptied).toMatchObject({ name: 'new', description: '', scorer_refs: [] });
    expect((await ofQueue('GET', id)).json.queue).toEqual(emptied);
  });

  test('a deleted queue is a 404 [objects 185]', async () => {
    const id = await newQueue();
    const { queue } = (await ofQueue('DELETE', id)).json;
    expect(queue.deleted_at).toBe(queue.updated_at);
    for (const answer of [
      await ofQueue('GET', id),
      await ofQueue('DELETE', id),
      await send('PUT', `/${id}`, { name: 'x' }),
      await send('PUT', `/${id}`, {}),
      await add(id, []),
      await ofQueue('GET', randomUUID()),
      await ofQueue('GET', 'no-id'),
      await add(randomUUID(), await calls(1)),
      await post(`/${randomUUID()}/items/query`, {}),
    ]) {
      expect([answer.status, answer.json.reason]).toEqual([404, expect.stringMatching(/^Queue \S+ not found/)]);
    }
    expect((await post('/query', {})).lines).toEqual([]);
  });

  test('rejects text that cannot be stored', async () => {
    for (const more of [{ name: 'a\0b' }, { description: '\0' }, { scorer_refs: ['\0'] }]) {
      expect((await post('', { name: 'q', scorer_refs: [], ...more })).status).toBe(422);
    }
    expect((await ofQueue('GET', '%00')).status).toBe(400);
    const texts = ['quote " \\ {} NULL', '', '日本'];
    const id = await newQueue({ name: texts[0], scorer_refs: texts });
    expect((await ofQueue('GET', id)).json.queue).toMatchObject({ name: texts[0], scorer_refs: texts });
  });
});

describe('adding calls', () => {
  test('counts added calls and duplicates [objects 186 187 188 189]', async () => {
    const queue = await newQueue();
    const [c1, c2, c3] = (await calls(3)) as [string, string, string];
    const missing = randomUUID();
    const counts = async (...ids: string[]) => Object.values((await add(queue, ids)).json);
    expect(await counts(c1, c2, missing)).toEqual([2, 0]);
    expect(await counts(c1, c3)).toEqual([1, 1]);
    expect(await counts(c1, c1)).toEqual([0, 2]);
    expect(await counts(missing, c1)).toEqual([0, 1]);
    expect(await counts()).toEqual([0, 0]);
    expect(await counts(missing)).toEqual([0, 0]);
    const [c4] = (await calls(1)) as [string];
    expect(await counts(c4, c4)).toEqual([1, 0]);
    expect((await items(queue)).map((item: { call_id: string }) => item.call_id)).toEqual([c1, c2, c3, c4]);
  });

  test('an item has the fields of its call', async () => {
    const queue = await newQueue();
    const call = completeOf(project, {
      op_name: `weave:///${project}/op/f:abc`,
      started_at: '2024-05-01T00:00:00.123456Z',
    });
    await server.post(`/v2/${project}/calls/complete`, { batch: [call] });
    await add(queue, [call.id], { display_fields: ['inputs.a', 'output'] });
    const { created_by: creator } = (await ofQueue('GET', queue)).json.queue;
    const [item] = await items(queue);
    expect(item).toMatchObject({
      project_id: project,
      queue_id: queue,
      call_id: call.id,
      call_started_at: '2024-05-01T00:00:00.123456Z',
      call_ended_at: '2024-01-01T00:00:01Z',
      call_op_name: call.op_name,
      call_trace_id: call.trace_id,
      display_fields: ['inputs.a', 'output'],
      added_by: creator,
      created_by: creator,
      annotation_state: 'unstarted',
      annotator_user_id: '',
      deleted_at: null,
      position_in_queue: null,
    });
    expect(item.created_at).toBe(item.updated_at);
  });

  test('an item does not change when its call ends [objects 202]', async () => {
    const queue = await newQueue();
    const start = startOf(project);
    await server.post('/call/start', { start });
    await add(queue, [start.id]);
    await server.post('/call/end', { end: endOf(start) });
    expect((await items(queue))[0]).toMatchObject({ call_id: start.id, call_ended_at: null });
    expect((await add(queue, [start.id])).json).toEqual({ added_count: 0, duplicates: 1 });
  });

  test('skips deleted calls and calls of other projects', async () => {
    const queue = await newQueue();
    const [deleted, kept] = (await calls(2)) as [string, string];
    const other = await server.newProject();
    const [foreign] = (await logCalls(server, other, [{}])) as [string];
    await add(queue, [kept]);
    await server.post('/calls/delete', { project_id: project, call_ids: [deleted, kept] });
    expect((await add(queue, [deleted, kept, foreign])).json).toEqual({ added_count: 0, duplicates: 1 });
    expect(await items(queue)).toHaveLength(1);
  });

  test('the same calls added concurrently are in the queue once', async () => {
    const queue = await newQueue();
    const ids = await calls(30);
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => add(queue, i % 2 ? ids : ids.toReversed())));
    const sum = (name: string) => answers.reduce((total, { json }) => total + json[name], 0);
    expect([sum('added_count'), sum('duplicates')]).toEqual([30, 7 * 30]);
    expect(await items(queue)).toHaveLength(30);
  });

  test('adds thousands of calls in the order sent, whatever the times in their ids', async () => {
    const queue = await newQueue();
    const newYear = Date.UTC(2024, 0, 1);
    const ids = await logCalls(
      server,
      project,
      Array.from({ length: 3000 }, (_, n) => {
        const msecs = newYear + n * 60_000;
        const started_at = new Date(msecs).toISOString();
        return n % 2 ? { id: v7({ msecs }), started_at } : { started_at };
      }),
    );
    expect((await add(queue, ids)).json).toEqual({ added_count: 3000, duplicates: 0 });
    expect((await items(queue)).map((item: { call_id: string }) => item.call_id)).toEqual(ids);
    expect((await add(queue, ids)).json).toEqual({ added_count: 0, duplicates: 3000 });
  });

  test('a call may be in several queues', async () => {
    const [one, two] = [await newQueue(), await newQueue()];
    const ids = await calls(1);
    for (const queue of [one, two]) expect((await add(queue, ids)).json.added_count).toBe(1);
  });
});

describe('items', () => {
  test('returns items in the order added, not started [objects 190]', async () => {
    const { ids, items } = await filledQueue(3);
    expect(items.map((item: { call_id: string }) => item.call_id)).toEqual(ids);
    expect(new Set(items.map((item: { annotation_state: string }) => item.annotation_state))).toEqual(
      new Set(['unstarted']),
    );
  });

  test('positions ignore the offset and states but respect other filters [objects 191]', async () => {
    const { queue, items: all } = await filledQueue(4);
    await progress(queue, all[2].id, 'completed');
    const positions = async (more: object) =>
      (await items(queue, { include_position: true, ...more })).map((item: any) => item.position_in_queue);
    expect(await positions({ offset: 1 })).toEqual([2, 3, 4]);
    expect(await positions({ offset: 1, limit: 1 })).toEqual([2]);
    expect(await positions({ filter: { annotation_states: ['completed'] } })).toEqual([3]);
    expect(await positions({ filter: { call_id: all[3].call_id } })).toEqual([1]);
    expect((await items(queue, { limit: 1 }))[0].position_in_queue).toBeNull();
  });

  test('rejects an unknown state [objects 192]', async () => {
    const queue = await newQueue();
    const { status, json } = await post(`/${queue}/items/query`, { filter: { annotation_states: ['done'] } });
    expect([status, json.detail]).toMatchObject([422, [{ loc: ['body', 'filter', 'annotation_states', 0] }]]);
  });

  test('applies all filters, and sorts by known fields', async () => {
    const queue = await newQueue();
    const ids = await logCalls(server, project, [
      { op_name: 'b', started_at: '2024-01-03T00:00:00Z' },
      { op_name: 'a', started_at: '2024-01-02T00:00:00Z' },
      { op_name: 'b', started_at: '2024-01-01T00:00:00Z' },
    ]);
    await add(queue, ids);
    const all = await items(queue);
    const found = async (more: object) =>
      (await items(queue, more)).map((item: { call_id: string }) => ids.indexOf(item.call_id));
    expect(await found({ filter: { call_op_name: 'b' } })).toEqual([0, 2]);
    expect(await found({ filter: { call_op_name: 'b', call_id: ids[2] } })).toEqual([2]);
    expect(await found({ filter: { id: all[1].id } })).toEqual([1]);
    expect(await found({ filter: { call_trace_id: all[1].call_trace_id, added_by: all[0].added_by } })).toEqual([1]);
    expect(await found({ filter: { added_by: 'nobody' } })).toEqual([]);
    expect(await found({ filter: { annotation_states: [] } })).toEqual([0, 1, 2]);
    expect(await found({ filter: { annotation_states: ['unstarted', 'skipped'] } })).toEqual([0, 1, 2]);
    const sorted = (field: string, direction: string) => found({ sort_by: [{ field, direction }] });
    expect(await sorted('call_started_at', 'asc')).toEqual([2, 1, 0]);
    expect(await sorted('call_op_name', 'asc')).toEqual([1, 0, 2]);
    expect(await sorted('call_op_name', 'desc')).toEqual([0, 2, 1]);
    expect(await sorted('queue_id', 'desc')).toEqual([0, 1, 2]);
    expect((await post(`/${queue}/items/query`, { offset: -1 })).status).toBe(400);
  });

  test('a deleted queue still lists its items but rejects progress [objects 200]', async () => {
    const { queue, items: all } = await filledQueue(2);
    await progress(queue, all[0].id, 'completed');
    await ofQueue('DELETE', queue);
    expect((await items(queue)).map((item: any) => item.annotation_state)).toEqual(['completed', 'unstarted']);
    expect(await stats(queue)).toEqual([{ queue_id: queue, total_items: 2, completed_items: 1 }]);
    expect((await progress(queue, all[1].id, 'completed')).status).toBe(404);
  });
});

describe('progress', () => {
  test('feedback given in a queue does not change its item; a deleted queue rejects it [objects 156 201]', async () => {
    const { queue, items: all } = await filledQueue(1);
    const feedback = {
      ...{ project_id: project, weave_ref: `weave:///${project}/call/${all[0].call_id}`, queue_id: queue },
      ...{ feedback_type: 'wandb.note.1', payload: { note: 'seen' } },
    };
    expect((await server.post('/feedback/create', feedback)).status).toBe(200);
    expect(await items(queue)).toEqual(all);
    await ofQueue('DELETE', queue);
    const late = await server.post('/feedback/create', feedback);
    expect(late).toMatchObject({ status: 400, json: { reason: `Queue ${queue} not found or has been deleted` } });
  });

  test('the caller starts and completes an item [objects 193]', async () => {
    const { queue, items: all } = await filledQueue(1);
    const { created_by: caller } = (await ofQueue('GET', queue)).json.queue;
    const begun = await progress(queue, all[0].id, 'in_progress');
    expect(begun).toMatchObject({ status: 200, json: { item: { annotation_state: 'in_progress' } } });
    const { item } = (await progress(queue, all[0].id, 'completed')).json;
    expect(item).toMatchObject({ id: all[0].id, annotation_state: 'completed', annotator_user_id: caller });
    expect(await items(queue)).toEqual([item]);
  });

  test('rejects a change of a final state [objects 194]', async () => {
    const { queue, items: all } = await filledQueue(2);
    await progress(queue, all[0].id, 'completed');
    await progress(queue, all[1].id, 'skipped');
    for (const [index, state, message] of [
      [0, 'skipped', "Invalid state transition from 'completed' to 'skipped'"],
      [0, 'in_progress', "Cannot transition to 'in_progress'"],
      [1, 'completed', "Invalid state transition from 'skipped' to 'completed'"],
      [1, 'in_progress', "Cannot transition to 'in_progress'"],
    ] as const) {
      const { status, json } = await progress(queue, all[index].id, state);
      expect([status, json.reason]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await items(queue)).map((item: any) => item.annotation_state)).toEqual(['completed', 'skipped']);
  });

  test.each([['in_progress'], ['completed'], ['skipped']])(
    'setting %s twice changes nothing [objects 195]',
    async (state) => {
      const { queue, items: all } = await filledQueue(1);
      const first = await progress(queue, all[0].id, state);
      const second = await progress(queue, all[0].id, state);
      expect([second.status, second.json]).toEqual([200, first.json]);
    },
  );

  test('keeps a state for each annotator [objects 196]', async () => {
    const { queue, items: all } = await filledQueue(1);
    const first = (await progress(queue, all[0].id, 'completed')).json.item;
    const second = (await progress(queue, all[0].id, 'in_progress', secondKey)).json.item;
    expect(second.annotation_state).toBe('in_progress');
    expect(second.annotator_user_id).not.toBe(first.annotator_user_id);
    expect(await items(queue)).toEqual([second]);
    expect(await stats(queue)).toMatchObject([{ total_items: 1, completed_items: 1 }]);
    expect((await progress(queue, all[0].id, 'skipped', secondKey)).status).toBe(200);
    expect(await stats(queue)).toMatchObject([{ total_items: 1, completed_items: 1 }]);
  });

  test('finds and counts what the caller has not finished, whatever others have', async () => {
    const { queue, ids, items: all } = await filledQueue(3);
    await progress(queue, all[0].id, 'completed');
    await progress(queue, all[1].id, 'skipped', secondKey);
    await progress(queue, all[2].id, 'in_progress');
    const body = { filter: { own_states: ['unstarted', 'in_progress'] }, include_own_state: true };
    const own = async (key?: string) => (await post(`/${queue}/items/query`, body, key)).json.items;
    expect(await own()).toMatchObject([
      { call_id: ids[1], annotation_state: 'skipped', own_state: 'unstarted' },
      { call_id: ids[2], own_state: 'in_progress' },
    ]);
    expect((await own(secondKey)).map((item: any) => item.call_id)).toEqual([ids[0], ids[2]]);
    const counted = await post('/stats', { queue_ids: [queue], include_own: true });
    expect(counted.json.stats).toMatchObject([{ total_items: 3, completed_items: 2, own_completed_items: 1 }]);
    expect((await items(queue))[0]).not.toHaveProperty('own_state');
  });

  test.each([['unstarted'], ['foo']])('rejects the state %s [objects 197]', async (state) => {
    const { status, json } = await progress('no-queue', 'no-item', state);
    const reason = `Invalid annotation_state '${state}'. Must be one of: completed, in_progress, skipped`;
    expect([status, json]).toEqual([400, { reason }]);
  });

  test('an unknown item is a 404 with its id [objects 198]', async () => {
    const [one, two] = [await filledQueue(1), await newQueue()];
    for (const [queue, item] of [
      [one.queue, randomUUID()],
      [two, one.items[0].id],
      [randomUUID(), one.items[0].id],
    ]) {
      const { status, json } = await progress(queue, item, 'completed');
      expect([status, json]).toEqual([404, { reason: `Queue item '${item}' not found in queue '${queue}'` }]);
    }
  });

  test('accepts one of several concurrent steps of an annotator', async () => {
    const { queue, items: all } = await filledQueue(1);
    const states = Array.from({ length: 12 }, (_, i) => (i % 2 ? 'completed' : 'skipped'));
    const answers = await Promise.all(states.map((state) => progress(queue, all[0].id, state)));
    const [{ annotation_state: shown }] = await items(queue);
    answers.forEach(({ status }, i) => {
      expect(status).toBe(states[i] === shown ? 200 : 400);
    });
  });

  test('counts items, with zeros for an unknown queue [objects 199]', async () => {
    const { queue, items: all } = await filledQueue(3);
    const unknown = randomUUID();
    await progress(queue, all[0].id, 'completed');
    await progress(queue, all[1].id, 'skipped');
    await progress(queue, all[2].id, 'in_progress');
    expect(await stats(unknown, queue, queue)).toEqual([
      { queue_id: unknown, total_items: 0, completed_items: 0 },
      { queue_id: queue, total_items: 3, completed_items: 2 },
    ]);
    expect(await stats()).toEqual([]);
  });
});

describe('calls by their queue', () => {
  const inQueue = (queue: string) => ({
    $eq: [{ $getField: 'annotation_queue_items.queue_id' }, { $literal: queue }],
  });
  const find = async ($expr: object) =>
    (await queryCalls(server, project, { query: { $expr } })).calls.map((call: { id: string }) => call.id);

  test('a query finds the calls of a live queue', async () => {
    const { queue, ids } = await filledQueue(3);
    const [outside] = (await calls(1)) as [string];
    expect((await find(inQueue(queue))).sort()).toEqual([...ids].sort());
    expect(await find({ $not: [inQueue(queue)] })).toEqual([outside]);
    const first = { $eq: [{ $getField: 'id' }, { $literal: ids[0] }] };
    expect(await find({ $and: [first, inQueue(queue)] })).toEqual([ids[0]]);
    const { $eq } = inQueue(queue);
    expect(await find({ $and: [first, { $eq: $eq.toReversed() }] })).toEqual([ids[0]]);
    const counted = await server.post('/calls/query_stats', { project_id: project, query: { $expr: inQueue(queue) } });
    expect(counted.json.count).toBe(3);
    await ofQueue('DELETE', queue);
    expect(await find(inQueue(queue))).toEqual([]);
  });

  test('an unknown queue, or one of another project, has no calls', async () => {
    const { queue } = await filledQueue(1);
    expect(await find(inQueue(randomUUID()))).toEqual([]);
    expect(await find(inQueue('\0'))).toEqual([]);
    project = await server.newProject();
    await calls(1);
    expect(await find(inQueue(queue))).toEqual([]);
  });

  test.each([
    [{ $gt: [{ $getField: 'annotation_queue_items.queue_id' }, { $literal: 'a' }] }],
    [{ $in: [{ $getField: 'annotation_queue_items.queue_id' }, [{ $literal: 'a' }]] }],
    [{ $eq: [{ $getField: 'annotation_queue_items.id' }, { $literal: 'a' }] }],
    [{ $eq: [{ $getField: 'annotation_queue_items.queue_id' }, { $literal: 5 }] }],
  ])('anything else is refused: %j', async ($expr) => {
    const { status, json } = await server.post('/calls/stream_query', { project_id: project, query: { $expr } });
    expect([status, json.reason]).toEqual([
      422,
      'annotation_queue_items.queue_id goes with $eq and the id of one queue',
    ]);
  });
});
