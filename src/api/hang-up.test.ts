import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSession, type Session } from '../store/clickhouse/embedded/session.ts';
import { logCalls } from './testing/calls.ts';
import { startTestServer, type TestServer } from './testing/server.ts';

let server: TestServer;
let watcher: Session;
/** A project whose calls take several pages to answer. */
let project: string;
beforeAll(async () => {
  server = await startTestServer();
  project = await server.newProject();
  for (let i = 0; i < 3; i++) await logCalls(server, project, Array.from({ length: 100 }, large));
  watcher = openSession(join(server.data, 'clickhouse'), null); // sees what runs in the engine of this process
});
afterAll(async () => {
  await watcher.close();
  await server.close();
});

/** Statements that run for requests. */
async function running(): Promise<number> {
  const rows = await watcher.query<{ count: number }>(
    "SELECT count() AS count FROM system.processes WHERE startsWith(query, '/* read')",
  );
  return rows[0]!.count;
}

function ask(path: string, body: object, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
  return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

const literal = (value: unknown) => ({ $literal: value });
/** Looks into every payload a hundred times, and finds nothing. */
const slow = {
  $and: Array.from({ length: 100 }, (_, i) => ({
    $not: [{ $contains: { input: { $getField: `output.f${i}` }, substr: literal(`nothing${i}`) } }],
  })),
};
const large = () => ({
  output: Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`f${i}`, 'x'.repeat(1000)])),
});

test('a query ends in the store when its client hangs up, and the same project can ask again', async () => {
  const controller = new AbortController();
  const body = { project_id: project, query: { $expr: slow } };
  const answers = ['/calls/query_stats', '/calls/stream_query', '/trace/usage'].map((path) =>
    ask(path, body, controller.signal).then(
      () => 'answered',
      () => 'hung up',
    ),
  );
  await expect.poll(running, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);
  controller.abort();
  expect(await Promise.all(answers)).toContain('hung up');
  await expect.poll(running, { timeout: 30_000 }).toBe(0);
  const after = await server.post('/calls/query_stats', { project_id: project });
  expect(after.json.count).toBe(300);
});

test('an answer that is read in part asks for no further pages once the client hangs up', async () => {
  const controller = new AbortController();
  const answer = await ask('/calls/stream_query', { project_id: project }, controller.signal);
  const reader = answer.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  controller.abort();
  await expect(reader.read()).rejects.toThrow();
  await expect.poll(running, { timeout: 30_000 }).toBe(0);
  const after = await server.post('/calls/query_stats', { project_id: project });
  expect(after.json.count).toBe(300);
});

test('an answer of many pages is whole, and each page is read for its project', async () => {
  const other = await server.newProject();
  await logCalls(server, other, [{ output: 'other' }]);
  const [all, one] = await Promise.all([
    server.post('/calls/stream_query', { project_id: project }),
    server.post('/calls/stream_query', { project_id: other }),
  ]);
  expect([all.lines.length, one.lines.length]).toEqual([300, 1]);
  expect(new Set(all.lines.map((call) => call.project_id))).toEqual(new Set([project]));
});
