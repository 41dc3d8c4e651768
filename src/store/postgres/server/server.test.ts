import { randomUUID } from 'node:crypto';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import type { ProjectId } from '../../../contract/ids.ts';
import { type JobKind, task } from '../../../jobs/job-kind.ts';
import { openJobs } from '../../../jobs/jobs.ts';
import type { OpenedStore } from '../../opened-store.ts';
import { openAlone } from '../../peers/alone.ts';
import { listCollections } from '../artifacts/collections.ts';
import { listFiles } from '../artifacts/files.ts';
import { migratePostgres } from '../migrate.ts';
import type { Postgres } from '../postgres.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { addTestProject } from '../testing/test-project.ts';
import { serverPostgres } from './open.ts';
import { lockKey } from './schema-locks.ts';
import { parseServerUrl } from './server-url.ts';

let server: TestServer;
let url: string;
let opened: OpenedStore<Postgres>;
let postgres: Postgres;

const open = (address = parseServerUrl(url)) =>
  serverPostgres({ address, direct: address, connectionsMax: 4, waitMsMax: 0 });

beforeAll(async () => {
  server = await startTestServer();
  url = await server.createDatabase();
  opened = await open();
  postgres = opened.store;
  await migratePostgres(postgres);
  await addTestProject(postgres);
});
afterAll(async () => {
  await postgres?.close();
  await server?.close();
});

test('keeps its tables in a schema of its own, and jobs in another', async () => {
  const jobs = await openJobs(postgres, openAlone(), { mayStart: () => false, onError: () => {} });
  await jobs.close();
  const { rows } = await sql<{ schema: string }>`
    SELECT DISTINCT schemaname AS schema FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
    ORDER BY 1`.execute(postgres.db);
  expect(rows.map(({ schema }) => schema)).toEqual(['heddle', 'heddle_jobs']);
});

test('reads numbers, times and JSON like embedded PostgreSQL', async () => {
  const { rows } = await sql`SELECT 9007199254740991::bigint AS number, '{"a": 1}'::jsonb AS json, count(*) AS count,
    '0099-12-31 00:00:00+00'::timestamptz AS old, '1850-01-01 00:00:00 Europe/Berlin'::timestamptz AS odd,
    ARRAY['a,b', '"']::text[] AS texts`.execute(postgres.db);
  expect(rows).toEqual([
    {
      ...{ number: 9007199254740991, json: { a: 1 }, count: 1, texts: ['a,b', '"'] },
      ...{ old: new Date('0099-12-31T00:00:00Z'), odd: new Date('1849-12-31T23:06:32Z') },
    },
  ]);
});

test('a second process can use another schema, not the same one', async () => {
  await expect(open()).rejects.toThrow('Another heddle uses the schema heddle');
  const other = await open(parseServerUrl(`${url}?schema=other`));
  await migratePostgres(other.store);
  expect(await other.store.db.selectFrom('projects').selectAll().execute()).toEqual([]);
  await other.store.close();
});

test('processes share a schema, change it one after another, and keep out those that would be alone', async () => {
  const address = parseServerUrl(`${url}?schema=shared`);
  const options = { address, direct: address, connectionsMax: 1, waitMsMax: 0 };
  const [one, other] = await Promise.all([1, 2].map(() => serverPostgres({ ...options, use: 'shared' })));
  const events: string[] = [];
  const change = ({ store }: OpenedStore<Postgres>, name: string) =>
    store.changeSchema(async (script) => {
      events.push(`${name} begins`);
      await store.changeSchema(() => script('CREATE TABLE IF NOT EXISTS shared_table (id text)'));
      await script(`DO $$ BEGIN ASSERT current_setting('idle_session_timeout') = '1min'; END $$`); // a frozen process ends
      await setTimeout(300);
      events.push(`${name} ends`);
    });
  await Promise.all([change(one!, 'a'), change(other!, 'a')]);
  expect(events).toEqual(['a begins', 'a ends', 'a begins', 'a ends']);

  await expect(serverPostgres(options)).rejects.toThrow('Other heddle processes share the schema shared');
  await one!.store.close();
  await expect(serverPostgres(options)).rejects.toThrow('Other heddle processes share the schema shared');
  await other!.store.close();
  const alone = await serverPostgres({ ...options, waitMsMax: 5000 });
  await expect(serverPostgres({ ...options, use: 'shared' })).rejects.toThrow('uses the schema shared alone');
  await alone.store.close();
});

test('a process that waits for the changes of another one says for whom', async () => {
  const address = { ...parseServerUrl(url), schema: 'waited' };
  const options = { address, direct: address, connectionsMax: 2, waitMsMax: 0, use: 'shared' as const };
  const messages: string[] = [];
  const [one, other] = [
    await serverPostgres(options),
    await serverPostgres({ ...options, onWait: (message) => void messages.push(message) }),
  ];
  const finish = Promise.withResolvers<void>();
  const isChanging = Promise.withResolvers<void>();
  const changed = one.store.changeSchema(async () => {
    isChanging.resolve();
    await finish.promise;
  });
  await isChanging.promise;
  const waiting = other.store.changeSchema(async () => 'changed');
  await expect.poll(() => messages, { timeout: 60_000 }).toHaveLength(1);
  expect(messages[0]).toContain(`migrate the stores: heddle ${hostname()} ${process.pid} (`);
  finish.resolve();
  await changed;
  expect(await waiting).toBe('changed');
  await Promise.all([one.store.close(), other.store.close()]);
}, 120_000);

test('processes that create a schema at the same moment all use it', async () => {
  for (const round of [1, 2, 3]) {
    const address = parseServerUrl(`${url}?schema=created_at_once_${round}`);
    const options = { address, direct: address, connectionsMax: 1, waitMsMax: 0, use: 'shared' as const };
    const opened = await Promise.all(Array.from({ length: 8 }, () => serverPostgres(options)));
    await Promise.all(opened.map(({ store }) => store.close()));
  }
});

test('each transaction has limits that end with it', async () => {
  const { rows } = await postgres.db
    .transaction()
    .execute((db) =>
      sql<{ limit: string }>`SELECT current_setting('idle_in_transaction_session_timeout') AS limit`.execute(db),
    );
  expect(rows[0]!.limit).toBe('10s');
  const after = await sql<{ limit: string }>`
    SELECT current_setting('idle_in_transaction_session_timeout') AS limit`.execute(postgres.db);
  expect(after.rows[0]!.limit).toBe('0');
});

test('transactions that deadlock are run again', async () => {
  await postgres.db
    .insertInto('entities')
    .values(['a', 'b'].map((id) => ({ id, name: id })))
    .execute();
  let runs = 0;
  let locked = 0;
  const bothHaveOne = Promise.withResolvers<void>();
  const lockBoth = (first: string, second: string) =>
    postgres.db.transaction().execute(async (db) => {
      runs++;
      await db.updateTable('entities').set({ name: first }).where('id', '=', first).execute();
      if (++locked === 2) bothHaveOne.resolve();
      await bothHaveOne.promise;
      await db.updateTable('entities').set({ name: second }).where('id', '=', second).execute();
    });
  await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
  expect(runs).toBeGreaterThan(2);
});

test('a name that is taken meanwhile is a conflict', async () => {
  const twice = postgres.db.insertInto('entities').values({ id: 'e2', name: 'e' }).execute();
  await expect(twice).rejects.toMatchObject({ kind: 'conflict' });
});

test('a job that is added in a transaction starts once it is committed', async () => {
  const jobs = await openJobs(postgres, openAlone(), {
    mayStart: () => true,
    onError: (error) => expect.fail(String(error)),
  });
  const kind: JobKind<object> = {
    ...{ name: 'slow-commit', input: z.object({}), hasKeys: false, runningMax: 1, runningPerProjectMax: 1 },
    ...{ attemptsMax: 1, retryDelaySeconds: 1, retryDelayMaxSeconds: 1 },
  };
  const started = Promise.withResolvers<void>();
  const run = async () => started.resolve();
  await jobs.start([task(kind, { run, failed: async () => {}, canceled: async () => {} })]);
  await postgres.db.transaction().execute(async (transaction) => {
    await jobs.add(kind, { id: randomUUID(), project: 'p', input: {}, transaction });
    await setTimeout(200); // a runner that is woken now finds no job
  });
  await started.promise;
  await jobs.close();
});

test('text sorts by code point, also page by page, whatever the locale of the database', async () => {
  const names = ['Z', '_', 'a', 'a b', 'ab', 'z', 'ä', '中'];
  const rows = names.toReversed().map((name) => ({ id: `sorted-${name}`, project_id: 'p', name, type: 't' }));
  await postgres.db.insertInto('artifact_collections').values(rows).execute();
  await postgres.db
    .insertInto('artifacts')
    .values(rows.map(({ id }) => ({ id, collection_id: id, state: 'committed', digest: 'd', created_by: 'u' })))
    .execute();
  await postgres.db
    .insertInto('artifact_files')
    .values(names.map((path) => ({ artifact_id: 'sorted-a', path, digest: 'd', size_bytes: 1 })))
    .execute();
  const page = { projectId: 'p' as ProjectId, type: null, limit: 3 };
  const collections = await listCollections(postgres, { ...page, afterName: 'a b' });
  expect(collections.map(({ name }) => name)).toEqual(['ab', 'z', 'ä']);
  const files = await listFiles(postgres, { artifactId: 'sorted-a', paths: null, afterPath: null, limit: 100 });
  expect(files.map(({ path }) => path)).toEqual(names);
  // What sorts otherwise would be a column that was left out.
  const { rows: others } = await sql<{ column: string }>`
    SELECT attrelid::regclass || '.' || attname AS column FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = 'heddle'::regnamespace AND relkind IN ('r', 'i') AND attcollation = 'pg_catalog."default"'::regcollation
      AND 'a' COLLATE "default" < 'B' COLLATE "default"`.execute(postgres.db);
  expect(others).toEqual([]);
});

test('a schema with newer migrations is used if they are additive', async () => {
  const database = await server.createDatabase();
  const address = parseServerUrl(database);
  const { store } = await open(address);
  onTestFinished(() => store.close());
  await migratePostgres(store);
  await addTestProject(store);
  await store.changeSchema((script) =>
    script(`ALTER TABLE projects ADD COLUMN novelty text; CREATE TABLE novelties (id text PRIMARY KEY);
      INSERT INTO schema_migrations (number, name, is_additive) VALUES (9000, '9000_novelty.sql', true)`),
  );
  await migratePostgres(store);
  await store.db.insertInto('projects').values({ id: 'later', entity_id: 'e', name: 'later' }).execute();
  await sql`UPDATE ${sql.table('schema_migrations')} SET is_additive = false WHERE number = 9000`.execute(store.db);
  await expect(migratePostgres(store)).rejects.toThrow('its schema is number 9000');
});

/** Another session that waits for the schema gets it as soon as its holder is lost. */
test('while another process may use the schema, nothing is written', async () => {
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  const key = lockKey('heddle');
  const taken = other.query('SELECT pg_advisory_lock($1)', [key]);
  const holders = `SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32) | objid::bigint = ${key}`;
  await vi.waitFor(() => expect(opened.probe()).resolves.toBeUndefined());
  const killer = new pg.Client({ connectionString: url });
  await killer.connect();
  await killer.query(holders);
  await killer.end();
  await taken;
  const write = () => postgres.db.updateTable('entities').set({ name: 'e' }).where('id', '=', 'e').execute();
  await vi.waitFor(() => expect(opened.probe()).rejects.toThrow());
  await expect(write()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(postgres.db.transaction().execute(async () => {})).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(postgres.executeSql('DELETE FROM heddle_jobs.job')).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await postgres.db.selectFrom('entities').select('id').where('id', '=', 'e').execute()).toHaveLength(1);
  await other.query('SELECT pg_advisory_unlock($1)', [key]);
  await vi.waitFor(write, { timeout: 15_000, interval: 100 });
});

test('a session whose connection was cut on the way does not go on holding the schema', async () => {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  const way = createServer((near) => {
    const far = createConnection(Number(port || 5432), hostname);
    sockets.push(near);
    near.pipe(far, { end: false });
    near.on('end', () => far.end()); // not when it is destroyed
    far.pipe(near);
    for (const each of [near, far]) each.on('error', () => {});
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void way.close());
  const cut = new URL(`${url}?schema=cut`);
  cut.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
  const address = parseServerUrl(`${url}?schema=cut`);
  const through = await serverPostgres({ address, direct: parseServerUrl(cut.href), connectionsMax: 2, waitMsMax: 0 });
  onTestFinished(() => through.store.close());
  await migratePostgres(through.store);
  const write = () =>
    through.store.db.insertInto('entities').values({ id: randomUUID(), name: randomUUID() }).execute();
  const before = sockets.length;
  sockets.at(-1)!.destroy(); // the server does not learn of it
  await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(before));
  await vi.waitFor(write, { timeout: 5000, interval: 50 });
});

const isNamed = process.env.HEDDLE_TEST_POSTGRES_URL !== undefined;

test.skipIf(isNamed)('a lost server is unavailable, and is used again when it is back', async () => {
  await server.crash!();
  const asked = () => postgres.db.executeQuery(CompiledQuery.raw('SELECT 1'));
  for (let i = 0; i < 3; i++) await expect(asked()).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(opened.probe()).rejects.toThrow(/ECONNREFUSED|terminat/);
  await server.start();
  await vi.waitFor(() => opened.probe(), { timeout: 20_000, interval: 100 });
  await asked();
});
