import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampledRuns } from '../../util/testing/sampled-runs.ts';
import { completeOf, endOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
});
afterAll(() => server.close());

const sendStart = (start: ReturnType<typeof startOf>) => server.post('/call/start', { start });
const sendEnd = (end: ReturnType<typeof endOf>) => server.post('/call/end', { end });
const sendBatch = (batch: unknown[]) => server.post('/call/upsert_batch', { batch });
const complete = (calls: unknown[], of = project) => server.post(`/v2/${of}/calls/complete`, { batch: calls });
const count = async (of = project) => (await server.post('/calls/query_stats', { project_id: of })).json.count;

describe('starts and ends', () => {
  test('row 28: a start alone is a running call', async () => {
    const start = startOf(project);
    await sendStart(start);
    const { call } = await readCall(server, project, start.id);
    expect(call).toMatchObject({
      ended_at: null,
      output: null,
      summary: { weave: { status: 'running', trace_name: 'op' } },
    });
    expect(call.summary.weave).not.toHaveProperty('latency_ms');
  });

  test('row 29: an end that comes before its start', async () => {
    const start = startOf(project);
    await sendEnd(endOf(start, { output: 'late' }));
    await sendStart(start);
    const { call } = await readCall(server, project, start.id);
    expect(call).toMatchObject({ output: 'late', summary: { weave: { status: 'success', latency_ms: 1000 } } });
  });

  test('row 30: an end alone is accepted and shown nowhere', async () => {
    const fresh = await server.newProject();
    const start = startOf(fresh);
    expect((await sendEnd(endOf(start))).status).toBe(200);
    expect((await readCall(server, fresh, start.id)).call).toBeNull();
    expect((await queryCalls(server, fresh)).calls).toEqual([]);
    expect(await count(fresh)).toBe(0);
  });

  test('row 31: the v2 end of an unknown call is a 404', async () => {
    const answer = await server.post(`/v2/${project}/call/end`, { end: endOf(startOf(project)) });
    expect(answer.status).toBe(404);
    expect(answer.json.reason).toMatch(/^Cannot end call .*no start found/);
  });

  test('row 31: a v2 end finds its call whatever start it names', async () => {
    const start = startOf(project);
    expect((await server.post(`/v2/${project}/call/start`, { start })).json).toEqual({
      id: start.id,
      trace_id: start.trace_id,
    });
    const end = endOf(start, { started_at: '2020-05-05T00:00:00Z', output: 1 });
    expect(await server.post(`/v2/${project}/call/end`, { end })).toMatchObject({ status: 200, json: {} });
    expect((await readCall(server, project, start.id)).call).toMatchObject({
      output: 1,
      started_at: '2024-01-01T00:00:00Z',
    });
  });

  test('a v2 path and its body must name the same project', async () => {
    const answer = await server.post('/v2/ent/other/call/start', { start: startOf(project) });
    expect(answer.status).toBe(400);
  });

  test('a second start wins and keeps the end', async () => {
    const start = startOf(project, { inputs: { a: 1 } });
    await sendStart(start);
    await sendEnd(endOf(start, { output: 'x' }));
    await sendStart({ ...start, inputs: { a: 2 }, started_at: '2023-12-31T00:00:00Z' });
    const { calls } = await queryCalls(server, project, { filter: { call_ids: [start.id] } });
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ inputs: { a: 2 }, output: 'x', started_at: '2023-12-31T00:00:00Z' });
  });

  test('a second end wins', async () => {
    const start = startOf(project);
    await sendStart(start);
    await sendEnd(endOf(start, { output: 1 }));
    await sendEnd(endOf(start, { output: 2, exception: 'boom' }));
    expect((await readCall(server, project, start.id)).call).toMatchObject({
      output: 2,
      summary: { weave: { status: 'error' } },
    });
  });

  test('row 41: a display name in an end has no effect', async () => {
    const start = startOf(project, { display_name: 'mine' });
    await sendStart(start);
    expect((await sendEnd(endOf(start, { display_name: 'other' }))).status).toBe(200);
    expect((await readCall(server, project, start.id)).call.display_name).toBe('mine');
  });

  test('row 50: a parent need not exist, and nothing is inherited from a thread', async () => {
    const start = startOf(project, { parent_id: randomUUID(), thread_id: 't' });
    await sendStart(start);
    const { call } = await readCall(server, project, start.id);
    expect(call).toMatchObject({ parent_id: start.parent_id, thread_id: 't', turn_id: null });
  });
});

describe('complete calls', () => {
  test('row 32: both are visible and finished', async () => {
    const calls = [completeOf(project), completeOf(project)];
    expect(await complete(calls)).toMatchObject({ status: 200, text: '{}' });
    const found = await queryCalls(server, project, { filter: { call_ids: calls.map((call) => call.id) } });
    expect(found.calls.map((call) => call.summary.weave.status)).toEqual(['success', 'success']);
  });

  test('row 33: a call without its trace is a 422, and nothing is written', async () => {
    const good = completeOf(project);
    const answer = await complete([good, { ...completeOf(project), trace_id: undefined }]);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'missing', loc: ['body', 'batch', 1, 'trace_id'] });
    expect((await readCall(server, project, good.id)).call).toBeNull();
  });

  test('row 33: an empty batch is answered', async () => {
    expect(await complete([])).toMatchObject({ status: 200, text: '{}' });
  });

  test('row 34: sent twice it is one call', async () => {
    const fresh = await server.newProject();
    const call = completeOf(fresh);
    await complete([call], fresh);
    await complete([call], fresh);
    expect((await queryCalls(server, fresh)).calls).toHaveLength(1);
    expect(await count(fresh)).toBe(1);
  });

  test('row 35: sent again the later output stands, whatever its start', async () => {
    const fresh = await server.newProject();
    const call = completeOf(fresh, { output: 1 });
    await complete([call], fresh);
    await complete([{ ...call, output: 2, started_at: '2023-01-01T00:00:00Z' }], fresh);
    const { calls } = await queryCalls(server, fresh);
    expect(calls.map((each) => [each.output, each.started_at])).toEqual([[2, '2023-01-01T00:00:00Z']]);
    expect(await count(fresh)).toBe(1);
  });

  test('rows 36 and 37: both ways of writing meet in one project', async () => {
    const fresh = await server.newProject();
    await complete([completeOf(fresh)], fresh);
    const start = startOf(fresh);
    const answer = await sendBatch([
      { mode: 'start', req: { start } },
      { mode: 'end', req: { end: endOf(start) } },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain('error_code');
    await complete([completeOf(fresh)], fresh);
    expect(await count(fresh)).toBe(3);
  });

  test('one bad call does not cost the others', async () => {
    const good = completeOf(project);
    const bad = completeOf(project, { op_name: 'x'.repeat(200) });
    const answer = await complete([good, bad]);
    expect(answer).toMatchObject({
      status: 200,
      json: { rejected: [{ id: bad.id, reason: expect.stringContaining('op_name') }] },
    });
    expect((await readCall(server, project, good.id)).call).not.toBeNull();
  });
});

describe('batches of starts and ends', () => {
  test('row 38: one result for each item, in order', async () => {
    const [a, b] = [startOf(project), startOf(project)];
    const answer = await sendBatch([
      { mode: 'start', req: { start: a } },
      { mode: 'end', req: { end: endOf(a) } },
      { req: { start: b } },
    ]);
    const ids = ({ id, trace_id }: typeof a) => ({ id, trace_id });
    expect(answer.json).toEqual({ res: [ids(a), {}, ids(b)] });
  });

  test('row 39: an item of the wrong shape is a 422, and nothing is written', async () => {
    const good = startOf(project);
    const answer = await sendBatch([
      { mode: 'start', req: { start: good } },
      { mode: 'start', req: { start: { id: 5 } } },
    ]);
    expect(answer.status).toBe(422);
    expect((await readCall(server, project, good.id)).call).toBeNull();
  });

  test('row 40: an empty batch, and one of two projects', async () => {
    expect((await sendBatch([])).json).toEqual({ res: [] });
    const other = await server.newProject();
    const [a, b] = [startOf(project), startOf(other)];
    await sendBatch([a, b].map((start) => ({ mode: 'start', req: { start } })));
    expect((await readCall(server, project, a.id)).call).not.toBeNull();
    expect((await readCall(server, other, b.id)).call).not.toBeNull();
  });

  test.each([
    ['unknown', 'begin'],
    ['that contradicts its item', 'end'],
  ])('a mode %s is a 400', async (_name, mode) => {
    expect((await sendBatch([{ mode, req: { start: startOf(project) } }])).status).toBe(400);
  });

  test('an item that cannot be stored is named and the others are stored', async () => {
    const good = startOf(project);
    const bad = startOf(project, { id: 'NOT-AN-ID' });
    const answer = await sendBatch([bad, good].map((start) => ({ mode: 'start', req: { start } })));
    expect(answer.status).toBe(200);
    expect(answer.json.res).toEqual([
      { reason: expect.stringContaining('Invalid UUID') },
      { id: good.id, trace_id: good.trace_id },
    ]);
    expect((await readCall(server, project, good.id)).call).not.toBeNull();
  });
});

describe('summaries', () => {
  const answerTo = async (summary: unknown) => sendEnd(endOf(startOf(project), { summary }));

  test.each<[string, unknown, number]>([
    ['null', null, 422],
    ['empty', {}, 200],
    ['a count with a fraction', { usage: { m: { prompt_tokens: 1.5 } } }, 422],
    ['a count that is no number', { usage: { m: { prompt_tokens: 'abc' } } }, 422],
    ['a null count', { usage: { m: { prompt_tokens: null } } }, 200],
    ['usage of a model that is no object', { usage: { m: 5 } }, 422],
    ['usage null', { usage: null }, 422],
    ['an unknown status', { status_counts: { weird: 1 } }, 422],
  ])('rows 42 and 43: %s', async (_name, summary, status) => {
    expect((await answerTo(summary)).status).toBe(status);
  });

  test('row 43: a count sent as text is a number, other keys are kept', async () => {
    const summary = { usage: { m: { prompt_tokens: '12', extra: 'x' } }, custom: { a: [1] } };
    const [id] = await logCalls(server, project, [{ summary }]);
    const { call } = await readCall(server, project, id!);
    expect(call.summary).toMatchObject({ usage: { m: { prompt_tokens: 12, extra: 'x' } }, custom: { a: [1] } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['row 44: an exception', { exception: 'boom' }, 'error'],
    ['row 44: failed descendants', { summary: { status_counts: { error: 2 } } }, 'descendant_error'],
    ['row 46: a status of its own', { summary: { weave: { status: 'x', mine: 1 } } }, 'success'],
    ['weave: null', { summary: { weave: null } }, 'success'],
  ])('%s', async (_name, more, status) => {
    const [id] = await logCalls(server, project, [more]);
    const { call } = await readCall(server, project, id!);
    expect(call.summary.weave.status).toBe(status);
    if ('exception' in more) expect(call.exception).toBe('boom');
    if (JSON.stringify(more).includes('mine')) expect(call.summary.weave.mine).toBe(1);
  });

  test.each([
    ['2024-01-01T00:00:01.500Z', 1500],
    ['2023-12-31T23:59:59Z', -1000],
  ])('row 45: ended at %s took %i ms', async (ended_at, latency) => {
    const [id] = await logCalls(server, project, [{ ended_at }]);
    expect((await readCall(server, project, id!)).call.summary.weave.latency_ms).toBe(latency);
  });

  test('row 47: the name of an op, or the display name in its place', async () => {
    const op_name = `weave:///${project}/op/my_op:abc`;
    const [plain, named] = await logCalls(server, project, [{ op_name }, { op_name, display_name: 'shown' }]);
    expect((await readCall(server, project, plain!)).call.summary.weave.trace_name).toBe('my_op');
    const { weave } = (await readCall(server, project, named!)).call.summary;
    expect(weave.display_name).toBe('shown');
    expect(weave).not.toHaveProperty('trace_name');
  });
});

describe('renaming', () => {
  const rename = (call_id: string, display_name?: string | null) =>
    server.post('/call/update', { project_id: project, call_id, display_name });

  test('row 48: a name is given and taken away', async () => {
    const [id] = await logCalls(server, project, [{ display_name: 'first' }]);
    expect(await rename(id!, 'second')).toMatchObject({ status: 200, json: {} });
    expect((await readCall(server, project, id!)).call.display_name).toBe('second');
    await rename(id!, '');
    expect((await readCall(server, project, id!)).call.display_name).toBeNull();
  });

  test.each([null, undefined])('row 48: %s is a 400', async (name) => {
    expect(await rename(randomUUID(), name)).toMatchObject({
      status: 400,
      json: { reason: 'One of [display_name] is required for call update' },
    });
  });

  test('row 49: an unknown call is no error, and a late end keeps the new name', async () => {
    expect((await rename(randomUUID(), 'x')).status).toBe(200);
    const start = startOf(project);
    await sendStart(start);
    await rename(start.id, 'renamed');
    await sendEnd(endOf(start));
    expect((await readCall(server, project, start.id)).call.display_name).toBe('renamed');
  });
});

describe('deleting', () => {
  const remove = (of: string, call_ids: string[]) => server.post('/calls/delete', { project_id: of, call_ids });

  /** root → child → grandchild, and another root. */
  async function logFamily(of: string) {
    const trace_id = randomUUID();
    const root = completeOf(of, { trace_id });
    const child = completeOf(of, { trace_id, parent_id: root.id });
    const grandchild = completeOf(of, { trace_id, parent_id: child.id });
    const other = completeOf(of);
    await complete([root, child, grandchild, other], of);
    return { root, child, grandchild, other };
  }

  test('row 51: a root takes its descendants along, other traces stay', async () => {
    const fresh = await server.newProject();
    const { root, other } = await logFamily(fresh);
    expect((await remove(fresh, [root.id])).json).toEqual({ num_deleted: 3 });
    expect((await queryCalls(server, fresh)).calls.map((call) => call.id)).toEqual([other.id]);
  });

  test('row 51: a child leaves its root', async () => {
    const fresh = await server.newProject();
    const { root, child, other } = await logFamily(fresh);
    expect((await remove(fresh, [child.id])).json).toEqual({ num_deleted: 2 });
    const left = (await queryCalls(server, fresh)).calls.map((call) => call.id);
    expect(left.sort()).toEqual([root.id, other.id].sort());
  });

  test('row 52: unknown and deleted calls count nothing; 1001 are too many', async () => {
    const [id] = await logCalls(server, project, [{}]);
    expect((await remove(project, [randomUUID()])).json).toEqual({ num_deleted: 0 });
    expect((await remove(project, [id!])).json).toEqual({ num_deleted: 1 });
    expect((await remove(project, [id!])).json).toEqual({ num_deleted: 0 });
    expect((await remove(project, [])).json).toEqual({ num_deleted: 0 });
    const many = Array.from({ length: 1001 }, () => randomUUID());
    expect((await remove(project, many)).status).toBe(413);
  });

  test('row 53: a deleted call is gone from every read, also when a part comes later', async () => {
    const fresh = await server.newProject();
    const start = startOf(fresh);
    await sendStart(start);
    await remove(fresh, [start.id]);
    await sendEnd(endOf(start));
    expect((await readCall(server, fresh, start.id)).json).toEqual({ call: null });
    expect((await queryCalls(server, fresh, { filter: { call_ids: [start.id] } })).text).toBe('');
    expect(await count(fresh)).toBe(0);
  });
});

describe('large payloads', () => {
  test('row 54: inputs of 4 MiB are stored whole', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    const [id] = await logCalls(server, project, [{ inputs: { text } }]);
    expect((await readCall(server, project, id!)).call.inputs.text).toBe(text);
  });

  test('row 55: an image in base64 comes back', async () => {
    const image = `data:image/png;base64,${Buffer.alloc(20_000, 7).toString('base64')}`;
    const [id] = await logCalls(server, project, [{ inputs: { image } }]);
    expect((await readCall(server, project, id!)).call.inputs.image).toBe(image);
  });
});

test('any JSON payload comes back as it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.json(), async (value, output) => {
      const call = completeOf(project, { inputs: { value: 'VALUE' }, output: 'OUTPUT' });
      const body = JSON.stringify({ batch: [call] });
      const sent = body.replace('"VALUE"', () => value).replace('"OUTPUT"', () => output);
      await server.post(`/v2/${project}/calls/complete`, sent);
      const { text } = await readCall(server, project, call.id);
      expect(text).toContain(`"inputs":{"value":${value}}`);
      expect(text).toContain(`"output":${output}`);
    }),
    { numRuns: sampledRuns(50) },
  );
});

test('any order of start, end, rename and delete leads to the same call', async () => {
  const fresh = await server.newProject();
  const part = (start: ReturnType<typeof startOf>) => ({
    start: () => sendStart(start),
    end: () => sendEnd(endOf(start, { output: 'done' })),
    rename: () => server.post('/call/update', { project_id: fresh, call_id: start.id, display_name: 'named' }),
    delete: () => server.post('/calls/delete', { project_id: fresh, call_ids: [start.id] }),
  });
  type Part = keyof ReturnType<typeof part>;
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.shuffledSubarray<Part>(['start', 'end', 'rename'], { minLength: 3 }),
      fc.nat({ max: 3 }),
      async (isDeleted, order, at) => {
        const start = startOf(fresh);
        const parts: Part[] = isDeleted ? order.toSpliced(at, 0, 'delete') : order;
        for (const each of parts) expect((await part(start)[each]()).status).toBe(200);
        const { call } = await readCall(server, fresh, start.id);
        if (isDeleted) expect(call).toBeNull();
        else
          expect(call).toMatchObject({
            display_name: 'named',
            output: 'done',
            summary: { weave: { status: 'success' } },
          });
      },
    ),
    { numRuns: sampledRuns(30) },
  );
});
