import { afterAll, beforeAll, expect, test } from 'vitest';
import { completeOf, readCall } from '../../api/testing/calls.ts';
import { startTestServer, type TestServer } from '../../api/testing/server.ts';

let server: TestServer;
let project: string;
beforeAll(async () => {
  server = await startTestServer({ HEDDLE_DATA_MAX_BYTES: String(8 * 1024 * 1024) });
  project = await server.newProject();
});
afterAll(() => server.close());

const complete = (calls: unknown[]) => server.post(`/v2/${project}/calls/complete`, { batch: calls });
/** Large enough to be parsed by another thread. */
const filler = 'x'.repeat(600_000);

test('a large body is stored as a small one is, number for number', async () => {
  const call = completeOf(project, { inputs: { filler, exact: 'EXACT' }, wb_run_step: 3 });
  const body = JSON.stringify({ batch: [call] }).replace('"EXACT"', '[1.0,12345678901234567890]');
  expect((await server.post(`/v2/${project}/calls/complete`, body)).text).toBe('{}');
  const { text, call: found } = await readCall(server, project, call.id);
  expect(text).toContain('"exact":[1.0,12345678901234567890]');
  expect(found).toMatchObject({ inputs: { filler }, output: null, wb_run_step: 3 });
});

test.each([
  ['is no JSON', (body: string) => body.slice(0, -1), 422, 'json_invalid'],
  ['has a wrong shape', (body: string) => body.replace('"op_name":"op"', '"op_name":5'), 422, 'string_type'],
])('a large body that %s gets the same error as a small one', async (_name, spoil, status, type) => {
  const body = spoil(JSON.stringify({ batch: [completeOf(project, { inputs: { filler } })] }));
  const answer = await server.post(`/v2/${project}/calls/complete`, body);
  expect(answer.status).toBe(status);
  expect(answer.json.detail[0].type).toBe(type);
});

test('a large body that nests too deeply is a 413', async () => {
  const body = JSON.stringify({ batch: [completeOf(project, { inputs: { filler, deep: 'DEEP' } })] });
  const deep = `${'['.repeat(300)}${']'.repeat(300)}`;
  const answer = await server.post(`/v2/${project}/calls/complete`, body.replace('"DEEP"', deep));
  expect(answer).toMatchObject({ status: 413, json: { reason: 'Request too large' } });
});

test('a query may not be as large as data', async () => {
  const answer = await server.post('/calls/stream_query', {
    project_id: project,
    columns: ['x'.repeat(5 * 1024 * 1024)],
  });
  expect(answer).toMatchObject({ status: 413, json: { reason: 'Request too large' } });
});

test('what is offered beyond the bound is refused with the time to wait, and everything accepted is stored', async () => {
  const calls = Array.from({ length: 40 }, () => completeOf(project, { inputs: { filler } }));
  const answers = await Promise.all(calls.map((call) => complete([call])));
  const statuses = new Set(answers.map((answer) => answer.status));
  expect(statuses).toEqual(new Set([200, 429]));
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe('1');
    const { call } = await readCall(server, project, calls[index]!.id);
    expect(call === null).toBe(answer.status === 429);
  }
  expect((await complete([completeOf(project)])).status).toBe(200);
});
