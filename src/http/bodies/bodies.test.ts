import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completeOf, readCall } from '../../api/testing/calls.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../../api/testing/server.ts';
import { decompress } from './decompress.ts';

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
  ['is not JSON', (body: string) => body.slice(0, -1), 422, 'json_invalid'],
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

test.each<[string, (body: string) => Promise<TestAnswer>]>([
  ['as it is', (body) => server.post(`/v2/${project}/calls/complete`, body)],
  ['in gzip, however small that is', (body) => postBytes(gzipSync(body), 'gzip')],
])(
  'of what is offered %s beyond the bound some is refused with the time to wait, the others are stored',
  async (_name, send) => {
    const calls = Array.from({ length: 40 }, () => completeOf(project, { inputs: { filler } }));
    const answers = await Promise.all(calls.map((call) => send(JSON.stringify({ batch: [call] }))));
    const statuses = new Set(answers.map((answer) => answer.status));
    expect(statuses).toEqual(new Set([200, 429]));
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 429) expect(answer.headers.get('retry-after')).toBe('1');
      const { call } = await readCall(server, project, calls[index]!.id);
      expect(call === null).toBe(answer.status === 429);
    }
    expect((await complete([completeOf(project)])).status).toBe(200);
  },
);

test.each([
  ['gzip', gzipSync],
  ['zstd', zstdCompressSync],
  ['deflate', deflateSync],
] as const)('a body in %s is read as it was', async (encoding, compress) => {
  const call = completeOf(project, { inputs: { text: 'ü' } });
  const answer = await postBytes(compress(JSON.stringify({ batch: [call] })), encoding);
  expect(answer).toMatchObject({ status: 200, text: '{}' });
  expect((await readCall(server, project, call.id)).call).toMatchObject({ inputs: { text: 'ü' } });
});

test.each([
  ['no gzip', gzipSync('{}').subarray(0, -9), 'gzip'],
  ['in an encoding that nobody knows', Buffer.from('{}'), 'brotli'],
])('a body that is %s is a 400', async (_name, body, encoding) => {
  expect((await postBytes(body, encoding)).status).toBe(400);
});

test.each(['/otel/v1/traces', `/v2/ent/p0/calls/complete`])('%s refuses what grows beyond its limit', async (path) => {
  expect(await postBytes(bomb, 'gzip', path)).toMatchObject({ status: 413, json: { reason: 'Request too large' } });
});

test('of what grows too large no more is held than it may have', async () => {
  let grown = 0;
  const bounds = { bytesMax: 1_000_000, onGrowth: (bytes: number) => (grown = bytes) };
  await expect(decompress(bomb, 'gzip', bounds)).rejects.toMatchObject({ status: 413 });
  expect(grown).toBeGreaterThan(0);
  expect(grown).toBeLessThanOrEqual(1_000_000);
  expect(await decompress(gzipSync(Buffer.alloc(1_000_000)), 'gzip', bounds)).toHaveLength(1_000_000);
});

/** 1 GiB in 1 MiB: a hundred pieces of gzip make one. */
const bomb = Buffer.concat(Array(102).fill(gzipSync(Buffer.alloc(10 * 1024 * 1024))));

async function postBytes(
  body: Uint8Array,
  encoding: string,
  path = `/v2/${project}/calls/complete`,
): Promise<TestAnswer> {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  return server.post(path, body, { headers });
}
