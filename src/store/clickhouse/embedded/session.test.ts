import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { closeSharedWorkers } from '../../../util/workers/restarting-worker.ts';
import { openSession } from './session.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-test-'));
const session = openSession(directory, null);
afterAll(async () => {
  await session.close();
  await closeSharedWorkers();
  rmSync(directory, { recursive: true, force: true });
});

const megabyte = 1024 * 1024;
const aroundTheRow = '{"text":""}\n'.length;

/** Answers are parsed in pieces of a megabyte. */
test.each([
  ['no row', []],
  ['many small rows', Array.from({ length: 30_000 }, (_, n) => n % 100)],
  ['a row of exactly one piece', [megabyte - aroundTheRow, 1]],
  ['a row one byte longer than a piece', [1, megabyte - aroundTheRow + 1, 1]],
  ['long rows between short ones', [5, 3 * megabyte, 5, 2 * megabyte]],
])('returns the rows of an answer with %s', async (_name, lengths) => {
  const length = `arrayJoin([${lengths}]::Array(UInt32))`;
  const rows = await session.query<{ text: string }>(
    `SELECT left(repeat(repeat('x', 1024), intDiv(${length}, 1024) + 1), ${length}) AS text`,
  );
  expect(rows.map(({ text }) => text.length)).toEqual(lengths);
});

test('keeps characters of several bytes whole at the end of a piece', async () => {
  const rows = await session.query<{ text: string }>("SELECT repeat('ü😀', 7) AS text FROM numbers(50000)");
  expect(rows).toHaveLength(50_000);
  expect(new Set(rows.map(({ text }) => text))).toEqual(new Set(['ü😀'.repeat(7)]));
});

test('returns bytes in the requested format', async () => {
  const bytes = await session.queryBytes("SELECT 'ab' AS text, 3::UInt8 AS number", 'RowBinary');
  expect([...bytes]).toEqual([2, ...Buffer.from('ab'), 3]);
});

test('rejects statements once it is closed, and leaves the directory closed', async () => {
  const other = openSession(directory, null);
  const last = other.query<{ one: number }>('SELECT 1 AS one');
  const closed = other.close();
  await expect(other.command('SYSTEM FLUSH LOGS')).rejects.toThrow(
    'ClickHouse did not run SYSTEM: the store is closed',
  );
  expect(await last).toEqual([{ one: 1 }]);
  await closed;
});
