import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { withinScope } from '../../../util/request-scope.ts';
import type { ReadLimits } from '../lanes/read-limits.ts';
import { openEmbeddedClickHouse } from './embedded-clickhouse.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-test-'));
const megabyte = 1024 * 1024;
const limits: ReadLimits = {
  budget: { timeMs: 3000, bytesRead: 64 * megabyte, memoryBytes: 128 * megabyte, threads: 1 },
  lanes: {
    ...{ quickMax: 2, quickPerGroupMax: 2, longMax: 2, heavyMax: 1, longPerGroupMax: 1, trialMs: 50 },
    ...{ waitingPerGroupMax: 100, waitMsMax: 60_000 },
  },
};
const clickhouse = openEmbeddedClickHouse(directory, limits);
afterAll(async () => {
  await clickhouse.close();
  rmSync(directory, { recursive: true, force: true });
});

const asRequest = (sql: string, { group = 'a', signal = null as AbortSignal | null } = {}) =>
  withinScope({ group, signal }, () => clickhouse.query(sql));
const endless = (seconds = 600) =>
  `SELECT sleepEachRow(0.01) FROM numbers(${seconds * 100}) SETTINGS max_block_size = 1`;
const running = async () => {
  const rows = await clickhouse.query<{ count: number }>(
    "SELECT count() AS count FROM system.processes WHERE query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'",
  );
  return rows[0]!.count;
};

test.each([
  ['time', endless(), /longer than 3000 ms \(HEDDLE_QUERY_TIME_MAX_MS\)/],
  ['bytes read', 'SELECT sum(number) FROM numbers(1e9)', /reads more than 64 MB \(HEDDLE_QUERY_READ_MAX_BYTES\)/],
  [
    'memory',
    'SELECT length(range(number + 50000000)) FROM numbers(1)',
    /more than 128 MB of memory \(HEDDLE_QUERY_MEMORY_MAX_BYTES\)/,
  ],
])('a query beyond its budget of %s is refused with the limit', async (_name, sql, message) => {
  await expect(asRequest(sql)).rejects.toMatchObject({ kind: 'unacceptable', message: expect.stringMatching(message) });
});

test('what the server does on its own account is not held to the budget of requests', async () => {
  const [row] = await clickhouse.query<{ sum: number }>('SELECT sum(number) AS sum FROM numbers(2e7)');
  expect(row!.sum).toBe(199_999_990_000_000);
});

test('inside a request, too, the internal store is not held to it, nor cancelled with the request', async () => {
  const signal = AbortSignal.abort();
  const rows = await withinScope({ group: 'a', signal }, () =>
    clickhouse.internal.query<{ sum: number }>('SELECT sum(number) AS sum FROM numbers(2e7)'),
  );
  expect(rows).toHaveLength(1);
});

test('a query that is cancelled leaves the store', async () => {
  const controller = new AbortController();
  const answer = asRequest(endless(2), { signal: controller.signal });
  answer.catch(() => {});
  await expect.poll(running, { timeout: 10_000 }).toBe(1);
  controller.abort();
  await expect(answer).rejects.toMatchObject({ kind: 'canceled' });
  await expect.poll(running, { timeout: 10_000 }).toBe(0);
});

test('what a failed query has read never reaches the answer of the next one', async () => {
  const failing = "SELECT 'secret' AS secret, throwIf(number = 5) FROM numbers(10) SETTINGS max_block_size = 1";
  for (const ask of [(sql: string) => asRequest(sql), (sql: string) => clickhouse.query(sql)]) {
    for (let i = 0; i < 8; i++) {
      const failed = Promise.allSettled(Array.from({ length: 4 }, () => ask(failing)));
      const answers = Array.from({ length: 8 }, (_, n) => ask(`SELECT ${n} AS n`));
      expect(await Promise.all(answers)).toEqual(Array.from({ length: 8 }, (_, n) => [{ n }]));
      expect((await failed).map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
    }
  }
});

test('a query with nested parentheses beyond what the engine reads is a 400', async () => {
  const deep = `SELECT ${'('.repeat(2000)}1${')'.repeat(2000)}`;
  await expect(asRequest(deep)).rejects.toMatchObject({
    kind: 'invalidInput',
    message: expect.stringMatching(/too complex/),
  });
});

test('quick reads of one group and inserts end while ten long ones of others are under way', async () => {
  await clickhouse.command('CREATE TABLE t (n UInt64) ENGINE = MergeTree ORDER BY n');
  const controller = new AbortController();
  const heavy = Array.from({ length: 10 }, (_, i) =>
    asRequest(endless(), { group: `heavy${i}`, signal: controller.signal }).catch(({ status }) => status),
  );
  let ended = 0;
  for (const each of heavy) void each.then(() => ended++);
  for (let i = 0; i < 10; i++) {
    await clickhouse.insert('t', Buffer.from(`{"n":${i}}\n`));
    expect(await asRequest('SELECT count() AS count FROM t', { group: 'quiet' })).toEqual([{ count: i + 1 }]);
  }
  expect(ended).toBeLessThan(10);
  controller.abort();
  await Promise.all(heavy);
  await expect.poll(running, { timeout: 20_000 }).toBe(0);
});
