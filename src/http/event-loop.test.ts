import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { endpoints } from '../contract/endpoints.ts';
import { hostileBodies, repeated } from './testing/hostile-bodies.ts';
import { type ProbedServer, startProbedServer } from './testing/probed-server.ts';

/**
 * No body holds up the event loop for long. What is compared is the processor time of the longest step, which other
 * processes change little; the bound leaves room for slow and busy machines (bench/event-loop.ts measures against the real one).
 */
const stepMsMax = 500;

const project = 'ent/p';
const name = `"project_id":"${project}"`;
const megabyte = 1024 * 1024;

let server: ProbedServer;
beforeAll(async () => {
  server = await startProbedServer(copyStoreTemplate(inject('storeTemplate')));
  // What is loaded with the first request of its kind is loaded before it is measured.
  for (const size of [0, 600_000])
    await send('/table/create', `{"table":{${name},"rows":[{"a":"${'x'.repeat(size)}"}]}}`);
});
afterAll(() => server.close());
beforeEach(async () => void (await server.longestStep()));

async function send(path: string, body: string): Promise<{ status: number; text: string }> {
  return server.post(path, body);
}

async function expectShortSteps(path: string, body: string, statuses: number[], cpuMsMax = stepMsMax): Promise<string> {
  const { status, text } = await send(path, body);
  expect(statuses).toContain(status);
  expect((await server.longestStep()).cpuMs).toBeLessThan(cpuMsMax);
  return text;
}

const atRisk = ['/v2/{entity}/{project}/calls/complete', '/table/update', '/feedback/create', '/v1/chat/completions'];
const hostile = endpoints
  .filter(({ path }) => atRisk.includes(path))
  .flatMap((endpoint) => {
    const size = endpoint.takesData ? 8 * megabyte : 4 * megabyte - 1000;
    const path = endpoint.path.replace('{entity}/{project}', project);
    return hostileBodies(endpoint, size, project)
      .filter(({ kind }) => /^(batch|updates|messages|scorer_ratings|logit_bias|many|one|deep|a )/.test(kind))
      .map(({ kind, body }): [path: string, kind: string, body: string] => [path, kind, body]);
  });

/** Each takes a second or two. CI sends every third. */
const sent = hostile.filter((_, i) => process.env.TEST_LONG !== undefined || i % 3 === 0);

test.each(sent)('%s does not delay %s', async (path, _kind, body) => {
  const text = await expectShortSteps(path, body, [200, 400, 413, 422]);
  expect(text.length).toBeLessThan(200_000);
});

test('an update of 100,000 inserts at the start of a long table is made in short steps', async () => {
  const rows = Array.from({ length: 300_000 }, (_, i) => `"${String(i).padStart(43, 'x')}"`);
  const made = await expectShortSteps('/table/create_from_digests', `{${name},"row_digests":[${rows}]}`, [200]);
  const inserts = Array.from({ length: 100_000 }, () => '{"insert":{"index":0,"row":{"a":1}}}');
  const base = JSON.parse(made).digest;
  await expectShortSteps('/table/update', `{${name},"base_digest":"${base}","updates":[${inserts}]}`, [200]);
});

test.each([
  ['small objects', `{"a":${repeated('{}', 8 * megabyte, '[', ']')}}`],
  ['members like credentials', `{${repeated('"api_key":"x"', 8 * megabyte)}}`],
  ['refs', `{"a":${repeated(`"weave:///${project}/object/n:d"`, 8 * megabyte, '[', ']')}}`],
])('a payload of %s is taken in short steps', async (_name, payload) => {
  const call = `{${name},"id":"0000000000000001","trace_id":"${'0'.repeat(32)}","op_name":"o","started_at":0,"ended_at":1`;
  const complete = `{"batch":[${call},"attributes":{},"summary":{},"output":null,"inputs":${payload}}]}`;
  await expectShortSteps(`/v2/${project}/calls/complete`, complete, [200]);
  await expectShortSteps('/obj/create', `{"obj":{${name},"object_id":"o","val":${payload}}}`, [200]);
  await expectShortSteps('/obj/read', `{${name},"object_id":"o","digest":"latest"}`, [200]);
  await expectShortSteps('/table/create', `{"table":{${name},"rows":[${payload}]}}`, [200]);
});

test('a call of 25 MB is written, rewritten and read in short steps', async () => {
  const member = (n: number) => `"k${n}":${n}`;
  const inputs = `{${Array.from({ length: 1_500_000 }, (_, n) => member(n)).join()}}`;
  const call = `{${name},"id":"0000000000000002","trace_id":"${'0'.repeat(32)}","op_name":"o","started_at":0,"ended_at":1`;
  const complete = `{"batch":[${call},"attributes":{},"summary":{},"output":null,"inputs":${inputs}}]}`;
  const longestMs = 350; // without the thread for large lines, 800 or more
  await expectShortSteps(`/v2/${project}/calls/complete`, complete, [200], longestMs);
  await expectShortSteps(`/v2/${project}/calls/complete`, complete, [200], longestMs);
  await expectShortSteps(
    '/calls/stream_query',
    `{${name},"filter":{"call_ids":["0000000000000002"]}}`,
    [200],
    longestMs,
  );
});

test('a body of more values than may be is a 413 that says how many', async () => {
  const body = `{${name},"row_digests":${repeated('""', 7 * megabyte, '[', ']')}}`;
  const text = await expectShortSteps('/table/create_from_digests', body, [413]);
  expect(JSON.parse(text)).toMatchObject({
    reason: 'Request too large',
    detail: expect.stringContaining('2000000 values'),
  });
});

test('the first GraphQL operation is refused in short steps if it has a thousand aliases', async () => {
  const query = `{ viewer { ${Array.from({ length: 1000 }, (_, i) => `a${i}: username`).join(' ')} } }`;
  await expectShortSteps('/graphql', JSON.stringify({ query }), [400], 250); // at once, loading would take 500
});

test('a report of a run with ten million lines is refused in short steps', async () => {
  const body = `{"files":{"output.log":{"content":${repeated('""', 31 * megabyte, '[', ']')}}}}`;
  await expectShortSteps(`/files/${project}/r/file_stream`, body, [413]);
});
