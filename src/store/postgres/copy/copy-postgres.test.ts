import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../../../api/testing/store-template.ts';
import type { JobKind } from '../../../jobs/job-kind.ts';
import { openQueue } from '../../../jobs/queue.ts';
import { type CopyState, type CopyWatch, newCopy } from '../../copies.ts';
import { openEmbeddedPostgres } from '../embedded/embedded-postgres.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { serverPostgres } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { addTestProject } from '../testing/test-project.ts';
import { tablesToCopy } from './catalog.ts';
import { copyPostgres, countRows, hasRows } from './copy-postgres.ts';

const directories: string[] = [];
const opened: Postgres[] = [];
let server: TestServer;
let source: Postgres;
let before: unknown;

beforeAll(async () => {
  server = await startTestServer();
  const directory = copyStoreTemplate(inject('storeTemplate'), 'postgres');
  directories.push(directory);
  source = await openEmbeddedPostgres(join(directory, 'postgres'));
  opened.push(source);
  await addQueue(source);
  await fill(source);
  before = await contents(source);
});
afterAll(async () => {
  await Promise.all(opened.map((each) => each.close()));
  await server?.close();
  for (const each of directories) rmSync(each, { recursive: true, force: true });
});

async function openServer(schema = 'heddle'): Promise<Postgres> {
  const address = { ...parseServerUrl(await server.createDatabase()), schema };
  const { store } = await serverPostgres({ address, direct: address, connectionsMax: 4 });
  opened.push(store);
  await migratePostgres(store);
  await addQueue(store);
  return store;
}

async function openDirectory(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-copy-'));
  directories.push(directory);
  const store = await openEmbeddedPostgres(directory);
  opened.push(store);
  await migratePostgres(store);
  await addQueue(store);
  return store;
}

async function addQueue(store: Postgres): Promise<void> {
  const queue = await openQueue(store, () => {});
  await queue.close();
}

/** Rows that refer to each other, more than a window of them, large ones, unusual values, and a job that waits. */
async function fill(store: Postgres): Promise<void> {
  await addTestProject(store);
  const { db } = store;
  const odd = 'naïve "text" \\ 🧵 \n\t { } \u0001';
  const run = { project_id: 'p', display_name: odd, tags: [odd, '', 'a,b', '{}'], created_by: 'u', notes: null };
  await db
    .insertInto('runs')
    .values([
      { ...run, id: 'r1', name: 'one', config: 'x'.repeat(5_000_000) },
      { ...run, id: 'R2', name: 'two', summary: 'y'.repeat(5_000_000) },
      { ...run, id: 'r-3', name: 'three' },
    ])
    .execute();
  await sql`INSERT INTO run_lines (run_id, stream, first_line, lines, content)
    SELECT CASE WHEN n % 3 = 0 THEN 'R2' ELSE 'r1' END, 'history', n, 1, repeat(n::text, 10) FROM generate_series(1, 2500) n`.execute(
    db,
  );
  await sql`INSERT INTO prices (id, project_id, llm_id, provider_id, effective_date, prompt_token_cost, completion_token_cost,
      cache_read_input_token_cost, cache_creation_input_token_cost, prompt_token_cost_unit, completion_token_cost_unit, created_by, created_at)
    VALUES ('c', 'p', 'm', 'o', '0099-12-31 23:59:59.123456+00', 0.1, 1e-320, 'NaN', 'Infinity', '', '', '', '294276-01-01 00:00:00+00'),
      ('d', 'p', 'm', 'o', '-infinity', 3.333333333333333, -0.0, 0, 1e300, '', '', '', '4000-01-01 00:00:00 BC')`.execute(
    db,
  );
  await sql`INSERT INTO trained_models (id, project_id, name, base_model, metrics, created_by)
    VALUES ('m', 'p', 'm', 'b', '{"b":1.10,"a":[123456789012345678901234567890,null,"\\u00e9"]}', 'u')`.execute(db);
  const queue = await openQueue(store, () => {});
  const kind = { name: 'train', hasKeys: true, retryDelaySeconds: 1, retryDelayMaxSeconds: 2 } as JobKind<unknown>;
  await queue.prepare(kind);
  for (const input of [{ a: 1 }, { b: odd }])
    await queue.add('train', { id: randomUUID(), project: 'p', key: 'k', input });
  await queue.fetch('train', []);
  await queue.close();
}

async function contents(store: Postgres): Promise<unknown> {
  const all: Record<string, unknown> = {};
  for (const { name, isOfJobs, key } of await tablesToCopy(store)) {
    const table = `${isOfJobs ? store.jobs.schema : store.schema}.${name}`;
    const order = key.map((column) => `t.${column.name}::text COLLATE "C"`).join(', ');
    const { rows } = await store.executeSql(`SELECT md5(t::text) AS hash FROM ${table} t ORDER BY ${order}`);
    all[table.replace(/.*\./, '')] = rows;
  }
  return all;
}

const ignoring: CopyWatch = { save: () => {}, copied: () => {}, requireRoom: () => {} };

test('tables are copied before those that refer to them, and all of them are', async () => {
  const tables = (await tablesToCopy(source)).map(({ name }) => name);
  expect(tables.indexOf('entities')).toBeLessThan(tables.indexOf('users'));
  expect(tables.indexOf('runs')).toBeLessThan(tables.indexOf('run_lines'));
  expect(tables.indexOf('queue')).toBeLessThan(tables.indexOf('job'));
  const { rows } = await source.executeSql(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  const ofProcesses = [
    'clickhouse_processes',
    'processes',
    'notices',
    'last_notice',
    'leases',
    'running_responses',
    'job_attempts',
    'secret_key',
  ];
  const own = ['clickhouse_servers', 'deployment', 'schema_migrations', ...ofProcesses];
  const names = (rows as { name: string }[]).map(({ name }) => name).filter((name) => !own.includes(name));
  expect(tables.toSorted()).toEqual([...names, 'job', 'queue'].sort());
});

test('a copy on a server, a copy of it in another schema, and a copy of that in a directory are equal', async () => {
  const [first, second, third] = [await openServer(), await openServer('other'), await openDirectory()];
  expect(await hasRows(first)).toBe(false);
  const rows: Record<string, number> = {};
  const copied: CopyWatch['copied'] = (table, count) => {
    rows[table] = (rows[table] ?? 0) + count;
  };
  await copyPostgres({ source, target: first }, newCopy, { ...ignoring, copied });
  const counted = Object.entries(await countRows(source)).filter(([, count]) => count > 0);
  expect(rows).toEqual(Object.fromEntries(counted));
  expect(rows).toMatchObject({ run_lines: 2500, 'jobs.job': 2 });
  expect(await hasRows(first)).toBe(true);
  expect(await contents(first)).toEqual(before);
  await copyPostgres({ source: first, target: second }, newCopy, ignoring);
  expect(await contents(second)).toEqual(before);
  await copyPostgres({ source: second, target: third }, newCopy, ignoring);
  expect(await contents(third)).toEqual(before);
});

test('generated values go on where those of the source end', async () => {
  const target = await openServer();
  await copyPostgres({ source, target }, newCopy, ignoring);
  const line = { run_id: 'r1', stream: 'log' as const, first_line: 0, lines: 1, content: '' };
  const added = await target.db.insertInto('run_lines').values(line).returning('sequence').executeTakeFirstOrThrow();
  expect(added.sequence).toBe(2501);
});

test('a copy that is interrupted after any piece goes on from there', async () => {
  const target = await openServer();
  let state: CopyState = newCopy;
  let attempts = 0;
  for (let ended = false; !ended; ) {
    expect(++attempts).toBeLessThan(60);
    const interrupt = { save: 2, copied: 4 }; // after whole windows, and between pages
    const due = (kind: keyof typeof interrupt) => {
      if (--interrupt[kind] === 0) throw new Error('interrupted');
    };
    const save = (next: CopyState) => {
      state = JSON.parse(JSON.stringify(next));
      due('save');
    };
    const copying = copyPostgres({ source, target }, state, { ...ignoring, save, copied: () => due('copied') });
    ended = await copying.then(
      () => true,
      (error) => error.message !== 'interrupted' && Promise.reject(error),
    );
  }
  expect(attempts).toBeGreaterThan(10);
  expect(await contents(target)).toEqual(before);
});

test.each([
  ['an additional row', "INSERT INTO entities (id, name) VALUES ('x', 'x')"],
  ['another value', "INSERT INTO entities (id, name) VALUES ('e', 'other')"],
])('%s in the target is noticed', async (_, statement) => {
  const target = await openServer();
  await target.changeSchema((script) => script(statement));
  await expect(copyPostgres({ source, target }, newCopy, ignoring)).rejects.toThrow(
    'The copy of entities differs from its source',
  );
});
