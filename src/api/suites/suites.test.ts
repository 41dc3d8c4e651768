import { beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  project = await server.newProject();
});

const rows = [
  { question: '1 + 1', thread: 'a' },
  { question: '2 + 2', thread: 'a' },
  { question: '3 + 3', thread: 'b' },
];

async function publish(of: object[] = rows): Promise<string> {
  const { json } = await server.post(`/v2/${project}/datasets`, { name: 'sums', rows: of });
  return `weave:///${project}/object/sums:${json.digest}`;
}

const freeze = (body: object) => server.post(`/v2/${project}/suites`, body);

test('freezes a version of a dataset by name or ref, and lists and reads it', async () => {
  const dataset = await publish();
  const { status, json } = await freeze({ name: 'sums', dataset: 'sums', thread_column: 'thread' });
  expect([status, json]).toEqual([
    200,
    {
      ...{ id: expect.any(String), name: 'sums', purpose: 'gate', dataset, row_count: 3, thread_column: 'thread' },
      ...{ alpha: 0.05, frozen_by: expect.any(String), frozen_at: expect.any(String) },
      scan: { status: 'waiting', jobs: 0, done: 0, unread: 0, error: null },
    },
  ]);
  await publish([{ question: '4 + 4' }]);
  const other = await freeze({ name: 'held', dataset, purpose: 'held_out', alpha: 0.1 });
  expect(other.json).toMatchObject({ dataset, purpose: 'held_out', thread_column: null, alpha: 0.1 });
  const scan = expect.any(Object); // it goes on
  const listed = [other.json, json].map((suite) => ({ ...suite, scan }));
  expect((await server.get(`/v2/${project}/suites`)).json).toEqual({ suites: listed });
  const read = (await server.get(`/v2/${project}/suites/sums`)).json;
  expect(read).toEqual({ ...json, scan, rows_trained_on: 0, overlaps: [] });
});

test('never changes a suite', async () => {
  await publish();
  const { json } = await freeze({ name: 'sums', dataset: 'sums' });
  expect((await freeze({ name: 'sums', dataset: 'sums', alpha: 0.1 })).status).toBe(409);
  expect((await server.get(`/v2/${project}/suites/sums`)).json).toMatchObject({ id: json.id, alpha: 0.05 });
});

test.each<[string, object, number, RegExp]>([
  ['an unknown dataset', { dataset: 'nothing' }, 404, /no dataset nothing/],
  ['the ref of a call', { dataset: 'weave:///a/b/call/c' }, 400, /not the name or ref of a dataset/],
  ['a column that a row lacks', { thread_column: 'chat' }, 400, /Row 0 of .* column chat/],
  ['a name with a slash', { name: 'a/b' }, 400, /must not contain/],
  ['an alpha of 0', { alpha: 0 }, 422, /greater than 0/],
])('rejects %s', async (_what, body, status, message) => {
  await publish();
  const answer = await freeze({ name: 'sums', dataset: 'sums', ...body });
  expect(answer.status).toBe(status);
  expect(answer.text).toMatch(message);
  expect((await server.get(`/v2/${project}/suites`)).json).toEqual({ suites: [] });
});

test('answers 404 for a suite that does not exist', async () => {
  await publish();
  expect((await server.get(`/v2/${project}/suites/none`)).status).toBe(404);
});
