import { beforeAll, beforeEach, expect, test } from 'vitest';
import { at, logCalls } from '../testing/calls.ts';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  project = await server.newProject();
});

const chat = (number: number, more: object = {}) => ({
  op_name: 'chat',
  started_at: at(number),
  inputs: { messages: [{ role: 'user', content: `Question ${number}?` }] },
  output: { choices: [{ message: { role: 'assistant', content: `Answer ${number}.` }, finish_reason: 'stop' }] },
  ...more,
});

const holdOut = (more: object = {}) => server.post('/calls/hold_out', { project_id: project, name: 'held', ...more });

test('no thread and no user is on both sides, and the dataset can be frozen', async () => {
  const calls = Array.from({ length: 40 }, (_, number) =>
    chat(number, {
      thread_id: `t${number % 20}`,
      attributes: { user_id: number < 20 ? `u${number % 15}` : 'anonymous' },
    }),
  );
  const ids = await logCalls(server, project, [...calls, { op_name: 'tool' }]);
  const { status, json } = await holdOut({ held_out_share: 0.25 });
  expect(status).toBe(200);
  const { dataset, held_out, training, skipped, training_call_ids } = json;
  expect([held_out.rows, training.rows, skipped]).toEqual([10, 30, 1]);
  expect(held_out.groups + training.groups).toBe(15); // 20 threads, of which five pairs share a user
  expect(training_call_ids).toHaveLength(30);
  const digest = dataset.split(':').at(-1);
  const { json: value } = await server.post('/obj/read', { project_id: project, object_id: 'held', digest });
  const table = value.obj.val.rows.split('/').at(-1);
  const { json: found } = await server.post('/table/query', { project_id: project, digest: table });
  const rows = found.rows.map(({ val }: { val: any }) => val);
  expect(rows[0]).toEqual({
    messages: [{ role: 'user', content: expect.stringMatching(/^Question \d+\?$/) }],
    output: expect.stringMatching(/^Answer \d+\.$/),
    source_call: expect.stringContaining(`weave:///${project}/call/`),
  });
  const heldIds = rows.map((row: any) => row.source_call.split('/').at(-1));
  expect([...heldIds, ...training_call_ids].toSorted()).toEqual(ids.slice(0, 40).toSorted());
  const numbers = (of: string[]) => of.map((id) => ids.indexOf(id));
  const threads = (of: string[]) => new Set(numbers(of).map((number) => number % 20));
  expect(threads(heldIds).intersection(threads(training_call_ids))).toEqual(new Set());
  const users = (of: string[]) => new Set(numbers(of).flatMap((number) => (number < 20 ? [number % 15] : [])));
  expect(users(heldIds).intersection(users(training_call_ids))).toEqual(new Set());
  const frozen = await server.post(`/v2/${project}/suites`, { name: 'held', dataset, purpose: 'held_out' });
  expect(frozen.json).toMatchObject({ purpose: 'held_out', row_count: 10 });
});

test('another seed holds out other chats, the same one the same', async () => {
  await logCalls(
    server,
    project,
    Array.from({ length: 30 }, (_, number) => chat(number)),
  );
  const chosen = async (seed: number) => (await holdOut({ seed, held_out_share: 0.5 })).json.training_call_ids;
  expect(await chosen(1)).toEqual(await chosen(1));
  expect(await chosen(1)).not.toEqual(await chosen(2));
});

test('chats of one thread cannot be split', async () => {
  await logCalls(server, project, [chat(1, { thread_id: 't' }), chat(2, { thread_id: 't' })]);
  const { status, text } = await holdOut();
  expect(status).toBe(400);
  expect(text).toContain('Nothing can be held out of 2 chats');
});

test.each([
  [{ held_out_share: 1 }, /less than 1/],
  [{ limit: 0 }, /from 1 to/],
])('rejects %j', async (more, message) => {
  const { status, text } = await holdOut(more);
  expect(status).toBe(422);
  expect(text).toMatch(message);
});
