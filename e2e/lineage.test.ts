import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testCommand } from '../testing/heddle-process.ts';
import { variedRequest } from '../testing/varied-requests.ts';
import { type Heddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const copy = mkdtempSync(join(tmpdir(), 'heddle-model-'));
const data = testDataDirectory();
afterAll(() => {
  for (const folder of [copy, data]) rmSync(folder, { recursive: true, force: true });
});

const settings = { HEDDLE_CHAT_BATCH_INVARIANT: 'true' };
const project = 'ent/p0';
const answers = 22;

type Ran = { code: number; out: string; err: string };

function heddle(...words: string[]): Promise<Ran> {
  const [program, ...given] = testCommand;
  const env = { PATH: process.env.PATH, HEDDLE_DATA: data };
  return new Promise((resolve) => {
    execFile(program!, [...given, ...words], { env }, (error, out, err) => {
      resolve({ code: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** @returns the ids of the calls in the order in which they started */
async function record({ url, key, post }: Heddle, bodies: object[]): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'X-Heddle-Project': project };
  const sent = bodies.map((body) =>
    fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(bodies.map(() => 200));
  const calls = async () => (await post('/calls/stream_query', { project_id: project, columns: ['id'] })).lines;
  await expect.poll(async () => (await calls()).length, { timeout: 30_000 }).toBe(bodies.length);
  return (await calls()).map(({ id }) => id);
}

test('the command verifies answers after a restart, and finds a flipped bit', async () => {
  // A pull links files where it can: what is changed below must not be the model that comes with heddle.
  cpSync(join(import.meta.dirname, '../assets/tiny-model'), copy, { recursive: true });
  let server = await startHeddle(data, settings);
  expect(await heddle('pull', copy, '--name', 'my/copy')).toMatchObject({ code: 0 });
  const bodies = Array.from({ length: answers }, (_, n) => ({
    ...variedRequest(n),
    model: n === 0 ? 'my/copy' : 'heddle/tiny',
  }));
  const ids = await record(server, bodies);
  const asked = await server.post('/calls/stream_query', { project_id: project });
  const ofCopy = asked.lines.find(({ inputs }) => inputs.model === 'my/copy').id;
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });

  server = await startHeddle(data, settings);
  const all = await heddle('lineage', 'verify', '--project', project, ...ids.toReversed());
  expect(all).toMatchObject({ code: 0, out: expect.stringContaining(`\n${answers} identical\n`) });
  const [first, second] = (await heddle('lineage', 'verify', '--project', project, '--last', '2')).out.split('\n');
  expect([first, second].map((line) => line?.split(' ')[0])).toEqual(ids.toReversed().slice(0, 2));
  const shown = await heddle('lineage', 'show', ids[0]!);
  expect(shown).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Call ${ids[0]} in ${project}\n  answered by `),
  });
  expect(await heddle('lineage', 'verify', ids[0]!, 'none')).toMatchObject({
    code: 2,
    out: expect.stringContaining('not_found'),
  });
  expect(await heddle('lineage', 'verify')).toMatchObject({
    code: 1,
    err: expect.stringContaining('Give the ids of calls'),
  });
  await server.end('SIGTERM');

  const folder = join(data, 'models');
  const model = readdirSync(folder).find((name) => readdirSync(join(folder, name)).includes('model.safetensors'))!;
  const file = join(folder, model, 'model.safetensors');
  const bytes = readFileSync(file);
  bytes[Math.floor(bytes.length / 2)]! ^= 4;
  writeFileSync(file, bytes);
  server = await startHeddle(data, settings);
  const flipped = await heddle('lineage', 'verify', ofCopy);
  expect(flipped).toMatchObject({ code: 2, out: expect.stringContaining('digest of weights (model.safetensors)') });
  expect(flipped.out.match(/[0-9a-f]{64}/g)).toHaveLength(2);
  await server.end('SIGTERM');
});
