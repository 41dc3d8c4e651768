import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Failure } from '../../../util/failures.ts';
import { withinScope } from '../../../util/request-scope.ts';
import type { OpenedClickHouse } from '../../opened-store.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import { migrateClickHouse } from '../migrate.ts';
import { InsertRefused, StoreError } from '../store-error.ts';
import { serverClickHouse } from './open.ts';
import { parseServerUrl } from './server-url.ts';
import { type Front, startFront } from './testing/start-front.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-front-'));
const megabyte = 1024 * 1024;
const limits: ReadLimits = {
  budget: { timeMs: 3000, bytesRead: 64 * megabyte, memoryBytes: 128 * megabyte, threads: 1 },
  lanes: {
    ...{ quickMax: 4, quickPerGroupMax: 4, longMax: 2, heavyMax: 1, longPerGroupMax: 1, trialMs: 50 },
    ...{ waitingPerGroupMax: 100, waitMsMax: 60_000 },
  },
};
const options = () => ({ address: parseServerUrl(front.url('tests')), limits, insertsPerSecondMax: 10 });
let front: Front;
let server: OpenedClickHouse;

beforeAll(async () => {
  front = await startFront(directory);
  server = await serverClickHouse(options());
  await server.store.command(
    'CREATE TABLE IF NOT EXISTS rows (id UInt64, text String) ENGINE = ReplacingMergeTree ORDER BY id',
  );
});
beforeEach(() => front.fail());
afterAll(async () => {
  await server.store.close();
  await front.kill();
  rmSync(directory, { recursive: true, force: true });
});

const rows = (...ids: number[]) =>
  Buffer.from(ids.map((id) => `${JSON.stringify({ id, text: 'naïve "text"' })}\n`).join(''));
const asRequest = <Value>(work: () => Promise<Value>, signal: AbortSignal | null = null) =>
  withinScope({ group: 'a', signal }, work);
const count = async (ids: number[]) => {
  const found = await server.store.query<{ count: number }>(
    'SELECT count() AS count FROM rows FINAL WHERE id IN {ids:Array(UInt64)}',
    { ids },
  );
  return found[0]!.count;
};

test('rows come back as they were inserted, as JSON and in binary', async () => {
  await server.store.insert('rows', rows(1, 2));
  expect(await server.store.query('SELECT * FROM rows WHERE id <= 2 ORDER BY id')).toEqual([
    { id: 1, text: 'naïve "text"' },
    { id: 2, text: 'naïve "text"' },
  ]);
  const bytes = await server.store.queryBytes('SELECT toUInt8(7), {text:String}', 'RowBinary', { text: 'ab' });
  expect([...bytes]).toEqual([7, 2, 97, 98]);
});

test('values of 64 bits, times and literals are as in the process', async () => {
  const sql = `SELECT {a:String} AS a, toUInt64(5) AS n, toDateTime64('2024-01-01 00:00:00', 6) AS t`;
  expect(await server.store.query(sql, { a: "it's {b:String} \\ \0" })).toEqual([
    { a: "it's {b:String} \\ \0", n: 5, t: '2024-01-01 00:00:00.000000' },
  ]);
});

test('errors have the code of the server, but not its words', async () => {
  const error = await server.store.query("SELECT 'secret' FROM nowhere").catch((caught) => caught);
  expect(error).toBeInstanceOf(StoreError);
  expect(error).toMatchObject({ code: 60 });
  expect(error.message).not.toContain('nowhere');
  await expect(server.store.insert('rows', Buffer.from('{"id":"x"}\n'))).rejects.toBeInstanceOf(InsertRefused);
});

test.each(['JSONEachRow', 'RowBinary'] as const)(
  'an answer that ends with an exception is an error, in %s',
  async (format) => {
    const sql = "SELECT 'tail' AS word, number FROM numbers(1000)";
    await front.fail({ statement: "'tail'", times: 1, kind: 'exception', code: 241 });
    const read = format === 'RowBinary' ? server.store.queryBytes(sql, format) : server.store.query(sql);
    await expect(read).rejects.toMatchObject({ code: 241 });
    expect(await server.store.query(sql)).toHaveLength(1000);
  },
);

test('a cut answer is asked for again', async () => {
  await front.fail({ statement: "'cut'", times: 2, kind: 'cut' });
  expect(await server.store.query("SELECT 'cut' AS word, number FROM numbers(1000)")).toHaveLength(1000);
});

test('an insert is sent again until it is answered, and its rows are stored once', async () => {
  await front.fail(
    { statement: 'INSERT INTO rows', times: 2, kind: 'unanswered' },
    { statement: 'INSERT INTO rows', times: 1, kind: 'error', code: 252 },
    { statement: 'INSERT INTO rows', times: 1, kind: 'refuse' },
  );
  await server.store.insert('rows', rows(11, 12));
  expect(await count([11, 12])).toBe(2);
});

test.each([202, 225, 242, 252, 285, 286, 289, 319, 517, 999])('code %i becomes 503 if it lasts', async (code) => {
  await front.fail({ statement: "'busy'", times: 1000, kind: 'error', code });
  const error = await asRequest(() => server.store.query("SELECT 'busy'")).catch((caught) => caught);
  expect(error).toBeInstanceOf(Failure);
  expect(error).toMatchObject({ kind: 'unavailable' });
});

test('what a read may use is sent with it', async () => {
  const late = asRequest(() =>
    server.store.query('SELECT sleepEachRow(0.01) FROM numbers(60000) SETTINGS max_block_size = 1'),
  );
  await expect(late).rejects.toThrow('runs longer than 3000 ms (HEDDLE_QUERY_TIME_MAX_MS)');
  const wide = asRequest(() => server.store.query('SELECT sum(number) FROM numbers(1e9)'));
  await expect(wide).rejects.toThrow('reads more than 64 MB');
});

test('a read ends on the server when its client is gone', async () => {
  const running = async () => {
    const found = await server.store.query<{ count: number }>(
      "SELECT count() AS count FROM system.processes WHERE query LIKE '%gone%' AND query NOT LIKE '%system.processes%'",
    );
    return found[0]!.count;
  };
  const client = new AbortController();
  const read = asRequest(
    () => server.store.query("SELECT 'gone', sleepEachRow(0.01) FROM numbers(200) SETTINGS max_block_size = 1"),
    client.signal,
  );
  await expect.poll(running).toBe(1);
  client.abort();
  await expect(read).rejects.toMatchObject({ kind: 'canceled' });
  await expect.poll(running, { timeout: 1500 }).toBe(0);
});

test('at most ten inserts a second are sent into a table', async () => {
  const sent = async () => (await front.counts()).inserts.rows!;
  const before = (await sent()).length;
  await setTimeout(1000); // those of other tests are over
  await Promise.all(Array.from({ length: 25 }, (_, index) => server.store.insert('rows', rows(1000 + index))));
  const times = (await sent()).slice(before);
  expect(times).toHaveLength(25);
  for (let i = 10; i < times.length; i++) expect(times[i]! - times[i - 10]!).toBeGreaterThan(900);
});

test('a hundred reads share a few connections', async () => {
  const before = (await front.counts()).sockets;
  for (let i = 0; i < 10; i++) {
    await Promise.all(Array.from({ length: 10 }, () => asRequest(() => server.store.query('SELECT 1'))));
  }
  expect((await front.counts()).sockets - before).toBeLessThan(20);
});

test('an idle server is not asked whether it answers; one that failed is', async () => {
  await server.store.query('SELECT 1');
  const { statements } = await front.counts();
  await server.probe();
  expect((await front.counts()).statements).toBe(statements);
  await front.kill();
  await expect(asRequest(() => server.store.query('SELECT 1'))).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(server.probe()).rejects.toThrow('ECONNREFUSED');
  const insert = server.store.insert('rows', rows(21));
  await front.start();
  await insert;
  await server.probe();
  expect(await count([21])).toBe(1);
});

test('knows its version, free space and latency, and sends nothing for them', async () => {
  await server.store.insert('rows', rows(31));
  const opened = await serverClickHouse(options());
  try {
    await expect
      .poll(() => opened.figures())
      .toEqual({
        version: expect.stringMatching(/^\d+\.\d+/),
        latencySeconds: null,
        freeBytes: expect.any(Number),
        usedBytes: null,
      });
    const { statements } = await front.counts();
    await opened.store.query('SELECT 1');
    expect(opened.figures()).toMatchObject({ latencySeconds: expect.any(Number), freeBytes: expect.any(Number) });
    expect((await front.counts()).statements).toBe(statements + 1);
  } finally {
    await opened.store.close();
  }
});

test('a user who may not read the free space has the other figures', async () => {
  await front.fail({ statement: 'system.disks', times: 1, kind: 'error', code: 497 });
  const opened = await serverClickHouse(options());
  try {
    await expect.poll(() => opened.figures().version).not.toBeNull();
    expect(opened.figures().freeBytes).toBeNull();
  } finally {
    await opened.store.close();
  }
});

test('the schema of a server has months and no settings of embedded stores', async () => {
  await migrateClickHouse(server.store);
  await migrateClickHouse(server.store);
  const sql: Record<string, string> = {};
  for (const table of ['agent_spans', 'calls', 'feedback']) {
    const [row] = await server.store.query<{ statement: string }>(`SHOW CREATE TABLE ${table}`);
    sql[table] = row!.statement;
    expect(sql[table]).not.toMatch(/cleanup_delay_period|old_parts_lifetime|merge_selector_base/);
  }
  expect(sql.calls).toContain('toYYYYMM(started_at)');
  expect(sql.agent_spans).toContain('toYYYYMM(started_at)');
  expect(sql.feedback).not.toContain('PARTITION BY');
});

test.each([
  'DROP TABLE calls',
  'OPTIMIZE TABLE calls',
  'SELECT count() FROM system.query_log',
  "SELECT * FROM (SELECT 1) WHERE 'x' IN (SELECT name FROM system.users)",
])('the front refuses %s, which no grant allows', async (statement) => {
  await expect(server.store.command(statement)).rejects.toMatchObject({ kind: 'unavailable', cause: { code: 497 } });
});

test('a batch may have calls of many months', async () => {
  const lines = Array.from({ length: 150 }, (_, month) =>
    JSON.stringify({
      project_id: 'months',
      id: String(month),
      started_at: 1.45e15 + month * 2_700_000_000_000,
      is_started: 1,
    }),
  );
  await server.store.insert('calls', Buffer.from(`${lines.join('\n')}\n`));
  expect(await server.store.query("SELECT count() AS n FROM calls WHERE project_id = 'months'")).toEqual([{ n: 150 }]);
});

test.each([
  ['a wrong password', () => front.url('tests', 'wrong'), /refuses the password of the user heddle/],
  [
    'a file that is missing',
    () => 'https://heddle:x@127.0.0.1:9/tests?ca=/missing.pem',
    /missing.pem cannot be read \(ENOENT\)/,
  ],
  ['no server', () => 'http://heddle:x@127.0.0.1:9/tests', /does not answer \(ECONNREFUSED\)/],
])('reports %s at startup', async (_, url, words) => {
  const opened = serverClickHouse({ ...options(), address: parseServerUrl(url()) });
  await expect(opened).rejects.toThrow(words);
  await expect(opened).rejects.not.toThrow(/secret|wrong:/);
});
