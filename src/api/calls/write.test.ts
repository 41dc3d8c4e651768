import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { sampledRuns } from '../../util/testing/sampled-runs.ts';
import { completeOf, endOf, logCalls, queryCalls, readCall, startOf } from '../testing/calls.ts';
import { testServer } from '../testing/server.ts';

const server = await testServer();
let project: string;
beforeAll(async () => {
  project = await server.newProject();
});

const sendStart = (start: ReturnType<typeof startOf>) => server.post('/call/start', { start });
const sendEnd = (end: ReturnType<typeof endOf>) => server.post('/call/end', { end });
const sendBatch = (batch: unknown[]) => server.post('/call/upsert_batch', { batch });
const complete = (calls: unknown[], of = project) => server.post(`/v2/${of}/calls/complete`, { batch: calls });
const count = async (of = project) => (await server.post('/calls/query_stats', { project_id: of })).json.count;

describe('starts and ends', () => {
  test('a start alone is a running call [calls 28]', async () => {
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

  test('an end before its start makes a finished call [calls 29]', async () => {
    const start = startOf(project);
    await sendEnd(endOf(start, { output: 'late' }));
    await sendStart(start);
    const { call } = await readCall(server, project, start.id);
    expect(call).toMatchObject({ output: 'late', summary: { weave: { status: 'success', latency_ms: 1000 } } });
  });

  test('an end alone is accepted but never returned [calls 30]', async () => {
    const fresh = await server.newProject();
    const start = startOf(fresh);
    expect((await sendEnd(endOf(start))).status).toBe(200);
    expect((await readCall(server, fresh, start.id)).call).toBeNull();
    expect((await queryCalls(server, fresh)).calls).toEqual([]);
    expect(await count(fresh)).toBe(0);
  });

  test('a v2 end of an unknown call is a 404 [calls 31]', async () => {
    const answer = await server.post(`/v2/${project}/call/end`, { end: endOf(startOf(project)) });
    expect(answer.status).toBe(404);
    expect(answer.json.reason).toMatch(/^Cannot end call .*no start found/);
  });

  test('a v2 end finishes its call whatever start it names [calls 31]', async () => {
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

  test('a display name in an end has no effect [calls 41]', async () => {
    const start = startOf(project, { display_name: 'mine' });
    await sendStart(start);
    expect((await sendEnd(endOf(start, { display_name: 'other' }))).status).toBe(200);
    expect((await readCall(server, project, start.id)).call.display_name).toBe('mine');
  });

  test('children may arrive before their root, and are linked once both are there [evaluations 160]', async () => {
    const fresh = await server.newProject();
    const root = completeOf(fresh);
    const child = completeOf(fresh, { trace_id: root.trace_id, parent_id: root.id, op_name: 'child' });
    await complete([child], fresh);
    await complete([root], fresh);
    const roots = await queryCalls(server, fresh, { filter: { trace_roots_only: true } });
    expect(roots.calls.map(({ id }) => id)).toEqual([root.id]);
    const children = await queryCalls(server, fresh, { filter: { parent_ids: [root.id] } });
    expect(children.calls).toMatchObject([{ id: child.id, trace_id: root.trace_id }]);
  });

  test('a parent need not exist, and a call inherits no turn [calls 50]', async () => {
    const start = startOf(project, { parent_id: randomUUID(), thread_id: 't' });
    await sendStart(start);
    const { call } = await readCall(server, project, start.id);
    expect(call).toMatchObject({ parent_id: start.parent_id, thread_id: 't', turn_id: null });
  });
});

describe('complete calls', () => {
  test('complete calls are returned as finished [calls 32]', async () => {
    const calls = [completeOf(project), completeOf(project)];
    expect(await complete(calls)).toMatchObject({ status: 200, text: '{}' });
    const found = await queryCalls(server, project, { filter: { call_ids: calls.map((call) => call.id) } });
    expect(found.calls.map((call) => call.summary.weave.status)).toEqual(['success', 'success']);
  });

  test('rejects a call without trace_id and writes nothing [calls 33]', async () => {
    const good = completeOf(project);
    const answer = await complete([good, { ...completeOf(project), trace_id: undefined }]);
    expect(answer.status).toBe(422);
    expect(answer.json.detail[0]).toMatchObject({ type: 'missing', loc: ['body', 'batch', 1, 'trace_id'] });
    expect((await readCall(server, project, good.id)).call).toBeNull();
  });

  test('accepts an empty batch [calls 33]', async () => {
    expect(await complete([])).toMatchObject({ status: 200, text: '{}' });
  });

  test('a call sent twice is one call [calls 34] [evaluations 161]', async () => {
    const fresh = await server.newProject();
    const call = completeOf(fresh);
    await complete([call], fresh);
    await complete([call], fresh);
    expect((await queryCalls(server, fresh)).calls).toHaveLength(1);
    expect(await count(fresh)).toBe(1);
  });

  test('a call sent again has the later output, whatever its start [calls 35]', async () => {
    const fresh = await server.newProject();
    const call = completeOf(fresh, { output: 1 });
    await complete([call], fresh);
    await complete([{ ...call, output: 2, started_at: '2023-01-01T00:00:00Z' }], fresh);
    const { calls } = await queryCalls(server, fresh);
    expect(calls.map((each) => [each.output, each.started_at])).toEqual([[2, '2023-01-01T00:00:00Z']]);
    expect(await count(fresh)).toBe(1);
  });

  test('a project accepts both ways of writing [calls 36 37]', async () => {
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

  test('lists a call that cannot be stored as rejected, and stores the others [calls 39]', async () => {
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
  test('returns a result for each item, in order [calls 38]', async () => {
    const [a, b] = [startOf(project), startOf(project)];
    const answer = await sendBatch([
      { mode: 'start', req: { start: a } },
      { mode: 'end', req: { end: endOf(a) } },
      { req: { start: b } },
    ]);
    const ids = ({ id, trace_id }: typeof a) => ({ id, trace_id });
    expect(answer.json).toEqual({ res: [ids(a), {}, ids(b)] });
  });

  test('rejects an item of the wrong shape and writes nothing [calls 39]', async () => {
    const good = startOf(project);
    const answer = await sendBatch([
      { mode: 'start', req: { start: good } },
      { mode: 'start', req: { start: { id: 5 } } },
    ]);
    expect(answer.status).toBe(422);
    expect((await readCall(server, project, good.id)).call).toBeNull();
  });

  test('accepts an empty batch, and items of two projects [calls 40]', async () => {
    expect((await sendBatch([])).json).toEqual({ res: [] });
    const other = await server.newProject();
    const [a, b] = [startOf(project), startOf(other)];
    await sendBatch([a, b].map((start) => ({ mode: 'start', req: { start } })));
    expect((await readCall(server, project, a.id)).call).not.toBeNull();
    expect((await readCall(server, other, b.id)).call).not.toBeNull();
  });

  test.each([
    ['an unknown mode', 'begin'],
    ['a mode that contradicts its item', 'end'],
  ])('rejects %s', async (_name, mode) => {
    expect((await sendBatch([{ mode, req: { start: startOf(project) } }])).status).toBe(400);
  });

  test('gives the reason for an item that cannot be stored, and stores the others [calls 39]', async () => {
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
    ['rejects a null summary [calls 42]', null, 422],
    ['accepts an empty summary [calls 42]', {}, 200],
    ['rejects a count with a fraction [calls 43]', { usage: { m: { prompt_tokens: 1.5 } } }, 422],
    ['rejects a count that is not a number [calls 43]', { usage: { m: { prompt_tokens: 'abc' } } }, 422],
    ['accepts a null count', { usage: { m: { prompt_tokens: null } } }, 200],
    ['rejects the usage of a model that is not an object [calls 43]', { usage: { m: 5 } }, 422],
    ['rejects a null usage', { usage: null }, 422],
    ['rejects an unknown status [calls 43]', { status_counts: { weird: 1 } }, 422],
  ])('%s', async (_name, summary, status) => {
    expect((await answerTo(summary)).status).toBe(status);
  });

  test('reads a count sent as text, and keeps other keys [calls 43]', async () => {
    const summary = { usage: { m: { prompt_tokens: '12', extra: 'x' } }, custom: { a: [1] } };
    const [id] = await logCalls(server, project, [{ summary }]);
    const { call } = await readCall(server, project, id!);
    expect(call.summary).toMatchObject({ usage: { m: { prompt_tokens: 12, extra: 'x' } }, custom: { a: [1] } });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['an exception makes the status error [calls 44]', { exception: 'boom' }, 'error'],
    [
      'failed descendants make the status descendant_error [calls 44]',
      { summary: { status_counts: { error: 2 } } },
      'descendant_error',
    ],
    [
      'replaces a status sent by the client, and keeps its other keys [calls 46]',
      { summary: { weave: { status: 'x', mine: 1 } } },
      'success',
    ],
    ['replaces weave: null', { summary: { weave: null } }, 'success'],
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
  ])('a call that ends at %s has a latency of %i ms [calls 45]', async (ended_at, latency) => {
    const [id] = await logCalls(server, project, [{ ended_at }]);
    expect((await readCall(server, project, id!)).call.summary.weave.latency_ms).toBe(latency);
  });

  test('the trace name is the name of the op; a display name replaces it [calls 47]', async () => {
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

  test('sets and removes a display name [calls 48]', async () => {
    const [id] = await logCalls(server, project, [{ display_name: 'first' }]);
    expect(await rename(id!, 'second')).toMatchObject({ status: 200, json: {} });
    expect((await readCall(server, project, id!)).call.display_name).toBe('second');
    await rename(id!, '');
    expect((await readCall(server, project, id!)).call.display_name).toBeNull();
  });

  test.each([null, undefined])('rejects the display name %s [calls 48]', async (name) => {
    expect(await rename(randomUUID(), name)).toMatchObject({
      status: 400,
      json: { reason: 'One of [display_name] is required for call update' },
    });
  });

  test('accepts an unknown call, and a late end keeps the new name [calls 49]', async () => {
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

  test('deletes the descendants of a root, and no other trace [calls 51]', async () => {
    const fresh = await server.newProject();
    const { root, other } = await logFamily(fresh);
    expect((await remove(fresh, [root.id])).json).toEqual({ num_deleted: 3 });
    expect((await queryCalls(server, fresh)).calls.map((call) => call.id)).toEqual([other.id]);
  });

  test('deletes a child without its root [calls 51]', async () => {
    const fresh = await server.newProject();
    const { root, child, other } = await logFamily(fresh);
    expect((await remove(fresh, [child.id])).json).toEqual({ num_deleted: 2 });
    const left = (await queryCalls(server, fresh)).calls.map((call) => call.id);
    expect(left.sort()).toEqual([root.id, other.id].sort());
  });

  test('does not count unknown and deleted calls, and rejects 1,001 ids [calls 52]', async () => {
    const [id] = await logCalls(server, project, [{}]);
    expect((await remove(project, [randomUUID()])).json).toEqual({ num_deleted: 0 });
    expect((await remove(project, [id!])).json).toEqual({ num_deleted: 1 });
    expect((await remove(project, [id!])).json).toEqual({ num_deleted: 0 });
    expect((await remove(project, [])).json).toEqual({ num_deleted: 0 });
    const many = Array.from({ length: 1001 }, () => randomUUID());
    expect((await remove(project, many)).status).toBe(413);
  });

  test('no read returns a deleted call, even if a part arrives later [calls 53]', async () => {
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
  test('stores inputs of 4 MiB whole [calls 54]', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    const [id] = await logCalls(server, project, [{ inputs: { text } }]);
    expect((await readCall(server, project, id!)).call.inputs.text).toBe(text);
  });

  test('returns a base64 image unchanged [calls 55]', async () => {
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
