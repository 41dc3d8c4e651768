import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../../../api/testing/store-template.ts';
import { type CopyState, type CopyWatch, newCopy } from '../../copies.ts';
import { openAgreementAlone } from '../../peers/agreement-alone.ts';
import { toInsertLine } from '../calls/call-line.ts';
import { plainCall } from '../calls/testing/call-store.ts';
import type { ClickHouse } from '../clickhouse.ts';
import { openEmbeddedClickHouse } from '../embedded/embedded-clickhouse.ts';
import { generousLimits } from '../lanes/read-limits.ts';
import { migrateClickHouse } from '../migrate.ts';
import { serverClickHouse } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';
import { type Front, startFront } from '../server/testing/start-front.ts';
import { copiedTables } from './copied-tables.ts';
import { copyClickHouse, countRows, hasRows } from './copy-clickhouse.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-front-'));
const directories = [folder];
let front: Front;
let embedded: ClickHouse;
let before: unknown;
const opened: ClickHouse[] = [];

beforeAll(async () => {
  front = await startFront(folder);
  embedded = openEmbedded();
  await fill(embedded);
  before = await contents(embedded);
});
afterAll(async () => {
  await Promise.all([embedded, ...opened].map((each) => each.close()));
  await front.kill();
  for (const each of directories) rmSync(each, { recursive: true, force: true });
});

function openEmbedded(): ClickHouse {
  const directory = copyStoreTemplate(inject('storeTemplate'), 'clickhouse');
  directories.push(directory);
  return openEmbeddedClickHouse(join(directory, 'clickhouse'));
}

async function openServer(database: string): Promise<ClickHouse> {
  const address = parseServerUrl(front.url(database));
  const { store } = await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 1000 });
  opened.push(store);
  await migrateClickHouse(store);
  return store;
}

const micros = 1_704_067_200_000_000;

/** More than a window of small rows, rows larger than a page, versions, deleted rows, and unusual values. */
async function fill(store: ClickHouse): Promise<void> {
  const large = JSON.stringify({ text: 'x'.repeat(9_000_000) });
  const odd = { inputs: '{"a":"\\u0000 \\"naïve\\" 🧵 \\\\ / \\n","f":1e-320}', exception: 'line\r\n\t\b\x7f\x00' };
  const calls = [
    { id: 'plain' },
    { id: 'large-1', inputs: large },
    { id: 'large-2', output: large },
    { id: 'odd', ...odd, summary: '{"usage":{"m":{"requests":1,"prompt_tokens":9007199254740993}}}' },
    { id: 'far', startedAt: 2 ** 62, endedAt: -(2 ** 62) },
    { id: 'early', startedAt: -micros, wbRunStep: '-9223372036854775808', endedAt: null },
    { id: "quote' \\ ", projectId: "it's \\ 🧵" },
    { id: 'span', mapperVersion: 3, otelDump: '{"raw":1}', inputRefs: ['weave:///a'] },
  ].map((call) => ({ ...plainCall('p', micros), ...call }));
  const later = [
    { ...calls[0]!, version: 2, displayName: 'renamed' },
    { ...calls[1]!, version: 2, isDeleted: true },
  ];
  for (const rows of [calls, later]) await store.insert('calls', Buffer.from(rows.map(toInsertLine).join('')));
  await store.command(
    `INSERT INTO calls (project_id, started_at, id, version, trace_id) SELECT concat('many', toString(number % 3)),
       fromUnixTimestamp64Micro(toInt64(${micros} + (number % 100) * 86400000000), 'UTC'), toString(number), 1, 't' FROM numbers(21000)`,
  );
  await store.command(
    `INSERT INTO feedback (project_id, weave_ref, feedback_type, id, version, is_deleted, scorer_ratings, created_at)
     SELECT 'p', 'r', 't', toString(number % 50), number, number % 7 = 0, map('a', number / 3, 'b', -0.0), 0 FROM numbers(100)`,
  );
  await store.command(
    `INSERT INTO span_events SELECT 'p', 't', toString(number), 18446744073709551615 - number, 'd', 1, 0, '{}' FROM numbers(20)`,
  );
  await store.command(
    `INSERT INTO agent_spans (project_id, started_at, trace_id, span_id, version, raw)
     SELECT 'p', 0, 't', toString(number), 1, '{"attributes":{}}' FROM numbers(20)`,
  );
  await store.command(`INSERT INTO object_values SELECT 'p', toString(number % 10), '{"v":1}' FROM numbers(20)`);
  await store.command(
    `INSERT INTO table_rows (project_id, digest, value, size_bytes) SELECT 'p', toString(number), '1', 1 FROM numbers(20)`,
  );
  await store.command(`INSERT INTO tables SELECT 'p', toString(number % 3), ['a', 'b'], number % 2 FROM numbers(6)`);
}

/** What readers see, and the marks of deleted rows. */
async function contents(store: ClickHouse): Promise<unknown> {
  const all: Record<string, unknown> = {};
  for (const [table, { key }] of Object.entries(copiedTables)) {
    const hash = 'hex(sipHash128(toString(tuple(*)))) AS hash';
    all[table] = await store.query(`SELECT ${hash} FROM ${table} FINAL ORDER BY ALL`);
    if (table !== 'calls' && table !== 'feedback') continue;
    const keys = Object.keys(key).join(', ');
    all[`deleted ${table}`] = await store.query(
      `SELECT ${keys}, max(version) AS newest, argMax(is_deleted, version) AS gone FROM ${table} GROUP BY ${keys} HAVING gone ORDER BY ALL`,
    );
  }
  return all;
}

const ignoring: CopyWatch = { save: () => {}, copied: () => {}, requireRoom: () => {} };

test('the tables to copy, and their keys and versions, are those of the schema', () => {
  const schema = readFileSync(new URL('../schema.generated.sql', import.meta.url), 'utf8');
  const own = new Set(['schema_migrations', 'deployment', 'first_deployment', 'call_parts']); // parts are made of calls
  const found = [...schema.matchAll(/^CREATE TABLE (\w+)$.*?^ENGINE = (.*?)\nORDER BY (.*?)\n/gms)]
    .filter(([, name]) => !own.has(name!))
    .map(([, name = '', engine = '', order = '']) => {
      const version = /^ReplacingMergeTree\((\w+)/.exec(engine)?.[1] ?? null;
      return [name, { key: order.replaceAll(/[()]/g, '').split(', '), version }];
    });
  const listed = Object.entries(copiedTables).map(([name, { key, version }]) => [
    name,
    { key: Object.keys(key), version },
  ]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(found));
});

test('a copy on replicas is equal, at either of them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-replicas-'));
  directories.push(directory);
  const replicas = await startFront(directory, { kind: 'cluster', replicas: 2 });
  const address = parseServerUrl(replicas.url('copies'));
  const { store, agree } = await serverClickHouse({ address, limits: generousLimits, insertsPerSecondMax: 1000 });
  try {
    await agree!(openAgreementAlone());
    await migrateClickHouse(store);
    await copyClickHouse({ source: embedded, target: store }, newCopy, ignoring);
    expect(await contents(store)).toEqual(before);
    await replicas.set({ isDead: true });
    expect(await contents(store)).toEqual(before);
  } finally {
    await store.close();
    await replicas.kill();
  }
});

test('a copy on a server, a copy of it on a server, and a copy of that in a directory are equal', async () => {
  const [first, second] = [await openServer('first'), await openServer('second')];
  expect(await hasRows(first)).toBe(false);
  const rows: Record<string, number> = {};
  const copied: CopyWatch['copied'] = (table, count) => {
    rows[table] = (rows[table] ?? 0) + count;
  };
  await copyClickHouse({ source: embedded, target: first }, newCopy, { ...ignoring, copied });
  expect(rows).toEqual(await countRows(embedded));
  expect(await hasRows(first)).toBe(true);
  expect(await contents(first)).toEqual(before);
  await copyClickHouse({ source: first, target: second }, newCopy, ignoring);
  expect(await contents(second)).toEqual(before);
  await embedded.close();
  embedded = openEmbedded();
  await copyClickHouse({ source: second, target: embedded }, newCopy, ignoring);
  expect(await contents(embedded)).toEqual(before);
});

test('a copy that is interrupted after any window goes on from there', async () => {
  const target = await openServer('interrupted');
  let state: CopyState = newCopy;
  for (let attempts = 1; ; attempts++) {
    let saved = 0;
    const save = (next: CopyState) => {
      state = JSON.parse(JSON.stringify(next));
      if (++saved === 2) throw new Error('interrupted');
    };
    const copying = copyClickHouse({ source: embedded, target }, state, { ...ignoring, save });
    const ended = await copying.then(
      () => true,
      (error) => error.message !== 'interrupted' && Promise.reject(error),
    );
    if (ended) break;
    expect(attempts).toBeLessThan(12);
  }
  expect(Object.keys(state.verified)).toEqual(Object.keys(copiedTables));
  expect(state.verified.calls).toBe((await countRows(embedded)).calls);
  expect(await contents(target)).toEqual(before);
});

test.each([
  ['an additional row', "INSERT INTO object_values VALUES ('p', '5x', 'a')", 'object_values'],
  [
    'another value',
    "INSERT INTO feedback (project_id, weave_ref, feedback_type, id, version) VALUES ('p', 'r', 't', '1', 1000)",
    'feedback',
  ],
  [
    'a row after the last one',
    "INSERT INTO calls (project_id, started_at, id, version) VALUES ('z', 0, 'z', 1)",
    'calls',
  ],
])('%s in the target is noticed', async (_, statement, table) => {
  const target = await openServer(`differs_${table}`);
  await target.command(statement);
  const state = { verified: Object.fromEntries(Object.keys(copiedTables).map((each) => [each, 0])), current: null };
  delete state.verified[table];
  await expect(copyClickHouse({ source: embedded, target }, state, ignoring)).rejects.toThrow(
    `The copy of ${table} differs from its source`,
  );
});

test('inserts that fail, or whose answer is lost, are sent again', async () => {
  const target = await openServer('faulty');
  await front.fail(
    { statement: 'INSERT INTO calls', times: 1, kind: 'unanswered' },
    { statement: 'INSERT INTO calls', times: 1, kind: 'error', code: 252 },
  );
  const state = { verified: {}, current: null };
  await copyClickHouse({ source: embedded, target }, state, ignoring);
  await front.fail();
  expect(await contents(target)).toEqual(before);
});
