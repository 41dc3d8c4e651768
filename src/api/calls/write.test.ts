import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

function start(project: string, more: Record<string, unknown> = {}) {
  const id = randomUUID();
  const fields = { project_id: project, id, trace_id: randomUUID(), op_name: 'op', started_at: '2024-01-01T00:00:00Z' };
  return { ...fields, attributes: {}, inputs: {}, ...more };
}

test('smoke', async () => {
  const project = await server.newProject();
  expect((await server.get('/health')).json).toEqual({ status: 'ok' });
  const answer = await server.post('/call/start', { start: start(project) });
  expect(answer).toMatchObject({ status: 200 });
  expect((await server.post('/call/start', { start: { project_id: project } })).json).toEqual({});
});
