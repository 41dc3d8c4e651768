import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openAccounts } from '../../../identity/accounts.ts';
import { type JobKind, task } from '../../../jobs/job-kind.ts';
import { openJobs } from '../../../jobs/jobs.ts';
import type { OpenedStore } from '../../opened-store.ts';
import { openAlone } from '../../peers/alone.ts';
import { addArtifact, changeArtifact } from '../artifacts/change-artifact.ts';
import { migratePostgres } from '../migrate.ts';
import { publishVersion } from '../objects/publish-version.ts';
import type { Postgres } from '../postgres.ts';
import { startTestServer, type TestServer } from '../testing/postgres-server.ts';
import { addTestProject } from '../testing/test-project.ts';
import { serverPostgres } from './open.ts';
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
  const jobs = await openJobs(postgres, { mayStart: () => false, onError: () => {} });
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

test('publications of one name at once get different numbers', async () => {
  const version = { projectId: 'p', kind: 'object', objectId: 'o', baseClass: null, leafClass: null } as const;
  const digests = ['1', '2', '3', '4', '5', '6'];
  const published = await Promise.all(
    digests.map((digest) => publishVersion(postgres, { ...version, digest, sizeBytes: 1, userId: 'u' })),
  );
  expect(published.map((each) => ('versionIndex' in each ? each.versionIndex : each)).sort()).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
});

test('tags that requests add at once to one artifact are all kept', async () => {
  await postgres.db
    .insertInto('artifact_collections')
    .values({ id: 'c', project_id: 'p', name: 'c', type: 't' })
    .execute();
  const version = { id: 'a', collectionId: 'c', digest: 'd', description: null, metadata: null, tags: [] };
  const rest = { wantedAliases: [], historyStep: null, runId: null, clientId: null, createdBy: 'u' };
  await addArtifact(postgres, { ...version, ...rest });
  const tags = ['1', '2', '3', '4'];
  await Promise.all(tags.map((tag) => changeArtifact(postgres, 'a', { addedTags: [tag], removedTags: [] })));
  const { tags: stored } = await postgres.db.selectFrom('artifacts').select('tags').executeTakeFirstOrThrow();
  expect(stored.toSorted()).toEqual(tags);
});

test('a job that is added in a transaction starts once it is committed', async () => {
  const jobs = await openJobs(postgres, { mayStart: () => true, onError: (error) => expect.fail(String(error)) });
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

test('of users of one name that are created at once, one is created; limits of keys hold', async () => {
  const accounts = openAccounts(postgres, openAlone());
  const made = await Promise.allSettled([1, 2, 3, 4].map(() => accounts.createUser('twin')));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const each of made) if (each.status === 'rejected') expect(each.reason).toMatchObject({ kind: 'conflict' });
  const keys = await Promise.allSettled(Array.from({ length: 210 }, () => accounts.createKey({ user: 'twin' })));
  expect(keys.filter(({ status }) => status === 'fulfilled')).toHaveLength(200);
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
