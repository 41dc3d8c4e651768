import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { copyStoreTemplate } from '../src/api/testing/store-template.ts';
import { type Heddle, runHeddle, startHeddle } from './harness/heddle.ts';
import { testDataDirectory } from './harness/heddle-for-file.ts';

const project = 'ent/damaged';
/** A store with a call, a small and a large file. Each test damages a copy. */
const intact = testDataDirectory();
let small: File;
let large: File;
let data: string;
beforeAll(async () => {
  ({ small, large } = await fill());
});
afterAll(() => rmSync(intact, { recursive: true, force: true }));
beforeEach(() => {
  data = copyStoreTemplate(intact);
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

test('a ClickHouse part that is cut short is reported at each start and by the doctor', async () => {
  const [largest] = filesBelow(join(data, 'clickhouse'), /data\.bin$/).sort(
    (a, b) => statSync(b).size - statSync(a).size,
  );
  truncateSync(largest!, statSync(largest!).size - 10);
  for (let start = 0; start < 2; start++) {
    const heddle = await startHeddle(data);
    expect(heddle.log()).toMatch(
      /ClickHouse: 1 damaged parts are set aside, and their rows \(\d+ or more\) are missing/,
    );
    await heddle.end('SIGTERM');
  }
  await expectDoctor('damaged parts are set aside');
});

test('a ClickHouse part with changed bytes is found by the doctor, and its rows are not handed out', async () => {
  const [largest] = filesBelow(join(data, 'clickhouse'), /data\.bin$/).sort(
    (a, b) => statSync(b).size - statSync(a).size,
  );
  changeByte(largest!, Math.floor(statSync(largest!).size / 2));
  await expectDoctor('damaged: calls');
  const heddle = await startHeddle(data);
  const { status } = await heddle.post('/calls/stream_query', { project_id: project });
  expect(status).toBe(500);
  await heddle.end('SIGTERM');
});

test('a stored file with changed bytes is never handed out, and repaired by its next upload', async () => {
  for (const { digest } of [small, large]) changeByte(pathOfFile(digest), 10);
  const heddle = await startHeddle(data);
  const read = (digest: string) => heddle.post('/file/content', { project_id: project, digest });
  const answer = await read(small.digest);
  expect([answer.status, answer.json.reason]).toEqual([500, expect.stringContaining(`${small.digest} is damaged`)]);
  await expect(read(large.digest)).rejects.toThrow('terminated'); // before its last bytes
  for (const { digest, text } of [small, large]) {
    await expect.poll(() => heddle.log()).toContain(`${digest} is damaged`);
    expect((await heddle.upload(project, text)).status).toBe(200);
    expect((await heddle.post('/file/content', { project_id: project, digest })).text).toBe(text);
  }
  await heddle.end('SIGTERM');
});

test('the doctor finds stored files that are changed or gone', async () => {
  changeByte(pathOfFile(small.digest), 3);
  rmSync(pathOfFile(large.digest));
  await expectDoctor('2 of 2 are damaged or missing');
});

test('a damaged page of PostgreSQL is reported at the start and by the doctor', async () => {
  changeByte(join(data, 'postgres', 'base', '1', '1255'), 8192 * 3 + 8000); // nothing reads this page at the start
  await expectDoctor('1 files hold damaged pages');
  const heddle = await startHeddle(data);
  await expect.poll(() => heddle.log(), { timeout: 20_000 }).toContain('PostgreSQL: 1 files hold damaged pages');
  await heddle.end('SIGKILL');
});

test('with a damaged page in what PostgreSQL reads at the start it does not start, and says why in one line', async () => {
  changeByte(tablesOfPostgres()[0]!, 8000); // the list of migrations
  const { code, err } = await runHeddle(data, ['serve']);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^heddle: PostgreSQL's files are damaged: invalid page .+\n$/),
  ]);
  await expectDoctor("PostgreSQL's files are damaged");
});

test.each([
  ['postgres/global/pg_control', 'PostgreSQL cannot open'],
  ['postgres/PG_VERSION', 'PostgreSQL cannot open'],
  ['heddle.json', 'heddle.json is damaged'],
])('with a damaged %s it does not start, and says why in one line', async (file, words) => {
  writeFileSync(join(data, file), randomBytes(64));
  const { code, err } = await runHeddle(data, ['serve']);
  expect({ code, lines: err.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
  expect(err).toContain(words);
  const doctor = await runHeddle(data, ['doctor']);
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining(words)]);
});

async function fill() {
  const heddle = await startHeddle(intact);
  const now = new Date().toISOString();
  const id = randomUUID();
  const names = { id, trace_id: id, project_id: project, op_name: 'work' };
  const inputs = { noise: randomBytes(40_000).toString('hex') };
  const call = { ...names, attributes: {}, inputs, output: null, summary: {}, started_at: now, ended_at: now };
  const answer = await heddle.post(`/v2/${project}/calls/complete`, { batch: [call] });
  expect([answer.status, answer.json]).toEqual([200, {}]);
  const files = {
    small: await stored(heddle, 'a small file'),
    large: await stored(heddle, randomBytes(1_500_000).toString('hex')),
  };
  await heddle.end('SIGTERM');
  return files;
}

type File = { text: string; digest: string };

async function stored(heddle: Heddle, text: string): Promise<File> {
  const { json } = await heddle.upload(project, text);
  return { text, digest: json.digest as string };
}

async function expectDoctor(words: string): Promise<void> {
  const { code, out } = await runHeddle(data, ['doctor']);
  expect([code, out]).toEqual([1, expect.stringContaining(words)]);
}

function pathOfFile(digest: string): string {
  return filesBelow(join(data, 'blobs'), new RegExp(`${digest}$`))[0]!;
}

/** The files of our tables and indexes in the order in which they were made. */
function tablesOfPostgres(): string[] {
  const number = (file: string) => Number(/\d+$/.exec(file)![0]);
  return filesBelow(join(data, 'postgres', 'base', '5'), /\/\d+$/)
    .filter((file) => number(file) >= 16_384 && statSync(file).size > 0)
    .sort((a, b) => number(a) - number(b));
}

function filesBelow(directory: string, name: RegExp): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => join(directory, file))
    .filter((file) => name.test(file) && statSync(file).isFile());
}

function changeByte(path: string, position: number): void {
  const file = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(file, byte, 0, 1, position);
  writeSync(file, Buffer.from([byte[0]! ^ 0xff]), 0, 1, position);
  closeSync(file);
}
