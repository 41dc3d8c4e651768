import { afterAll, beforeAll, expect, test } from 'vitest';
import { askRunning } from '../../admin/client.ts';
import { readConfig } from '../../config.ts';
import { logCalls } from '../testing/calls.ts';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const dayMs = 86_400_000;

async function listed(key = server.key) {
  return (await server.get('/projects', { key })).json.projects;
}

/** A finished root call that started some days ago. */
function daysAgo(days: number, more: Record<string, unknown> = {}) {
  const time = new Date(Date.now() - days * dayMs).toISOString();
  return { started_at: time, ended_at: time, ...more };
}

test('projects are listed with the traces of each day, the last active first', async () => {
  const [quiet, busy] = [await server.newProject(), await server.newProject()];
  await logCalls(server, busy, [daysAgo(20), daysAgo(1, { exception: 'failed' }), daysAgo(1), daysAgo(0)]);
  await logCalls(server, busy, [daysAgo(0, { parent_id: crypto.randomUUID() })]);
  await logCalls(server, quiet, [daysAgo(40)]);
  const empty = await server.newProject();
  const projects = await listed();
  expect(projects.map((each: { project_id: string }) => each.project_id)).toEqual([empty, busy, quiet]);
  const [, first, last] = projects;
  expect(first).toMatchObject({
    entity: 'ent',
    daily_traces: [...Array(12).fill(0), 2, 1],
    daily_errors: [...Array(12).fill(0), 1, 0],
  });
  expect(Date.now() - Date.parse(first.last_trace_at)).toBeLessThan(60_000);
  expect(last.daily_traces).toEqual(Array(14).fill(0));
  expect(Date.now() - Date.parse(last.last_trace_at)).toBeGreaterThan(39 * dayMs);
  expect(projects[0]).toMatchObject({ last_trace_at: null, created_at: expect.any(String) });
});

test('a user sees the projects of their own entities alone', async () => {
  const config = readConfig({ data: server.data }, {});
  await askRunning(config, 'users.create', { name: 'stranger' });
  const { key } = (await askRunning(config, 'keys.create', { user: 'stranger' }))!.answer;
  expect(await listed(key)).toEqual([]);
  await server.post('/v2/stranger/own/calls/complete', { batch: [] }, { key });
  expect((await listed(key)).map((each: { entity: string }) => each.entity)).toEqual(['stranger']);
});
