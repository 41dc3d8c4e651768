import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../../../../api/testing/store-template.ts';
import { withinScope } from '../../../../util/request-scope.ts';
import type { OpenedClickHouse } from '../../../opened-store.ts';
import { openReplicaAgreement } from '../../../postgres/clickhouse-servers/replica-agreement.ts';
import { embeddedPostgres } from '../../../postgres/embedded/open.ts';
import type { Postgres } from '../../../postgres/postgres.ts';
import { generousLimits } from '../../lanes/read-limits.ts';
import { migrateClickHouse } from '../../migrate.ts';
import { serverClickHouse } from '../open.ts';
import { parseServerUrl } from '../server-url.ts';
import { type Front, startFront } from '../testing/start-front.ts';

/** With a front, a double of three replicas: which rows are where is real, Keeper and its quorum are not. */

const directory = mkdtempSync(join(tmpdir(), 'heddle-replicas-'));
const templates: string[] = [];
const healthy = { isDead: false, isSilent: false, isReadOnly: false, lags: false, changesTakeMs: 0 };
let front: Front;
let postgres: Postgres;
/** Of one test: all share a database. */
let project: string;
let opened: { clickhouse: OpenedClickHouse; messages: string[] }[] = [];

beforeAll(async () => {
  front = await startFront(directory, { kind: 'cluster', replicas: 3 });
  const template = copyStoreTemplate(inject('storeTemplate'), 'postgres');
  templates.push(template);
  postgres = (await embeddedPostgres(join(template, 'postgres'))).store;
});
beforeEach(() => {
  project = randomUUID();
});
afterEach(async () => {
  await Promise.all(opened.map(({ clickhouse }) => clickhouse.store.close()));
  opened = [];
  await front.fail();
  await front.set(...front.origins.map((_, index) => ({ ...healthy, names: [`replica-${index + 1}`] })));
  await postgres.db.deleteFrom('clickhouse_processes').execute();
  await postgres.db.updateTable('clickhouse_servers').set({ replica: null, term: 0, is_ready: false }).execute();
});
afterAll(async () => {
  await postgres?.close();
  await front?.kill();
  for (const folder of [directory, ...templates]) rmSync(folder, { recursive: true, force: true });
});

type Options = { isAlone?: boolean; leaseMs?: number; quorum?: 'auto' | 'off'; agreement?: Postgres };

/** A process of heddle. */
async function open({ isAlone = true, leaseMs = 2_000, quorum = 'auto', agreement }: Options = {}) {
  const messages: string[] = [];
  const clickhouse = await serverClickHouse({
    address: parseServerUrl(front.url('tests')),
    limits: generousLimits,
    insertsPerSecondMax: 1000,
    quorum,
    onChange: (message) => messages.push(message),
  });
  const process = { clickhouse, messages };
  opened.push(process);
  await clickhouse.agree!(openReplicaAgreement(agreement ?? postgres, { isAlone }, leaseMs));
  await migrateClickHouse(clickhouse.store);
  return process;
}

const write = ({ clickhouse: { store } }: { clickhouse: OpenedClickHouse }, ...digests: string[]) =>
  store.insert(
    'object_values',
    Buffer.from(digests.map((digest) => `${JSON.stringify({ project_id: project, digest, value: '1' })}\n`).join('')),
  );

async function digests({ clickhouse: { store } }: { clickhouse: OpenedClickHouse }): Promise<string[]> {
  const rows = await store.query<{ digest: string }>(
    `SELECT digest FROM object_values WHERE project_id = '${project}' ORDER BY digest`,
  );
  return rows.map(({ digest }) => digest);
}

const inUse = async () => {
  const { replica } = await postgres.db.selectFrom('clickhouse_servers').select('replica').executeTakeFirstOrThrow();
  return front.origins.indexOf(replica!);
};

test('tables and rows of an insert are on all replicas, and the insert has a quorum', async () => {
  const one = await open();
  const before = (await front.counts()).settings;
  await write(one, 'a');
  expect(await digests(one)).toEqual(['a']);
  const { settings } = await front.counts();
  expect(settings['insert_quorum=auto']).toBe((before['insert_quorum=auto'] ?? 0) + 1);
  expect(settings['insert_quorum_timeout=10000']).toBeGreaterThan(0);
  expect(Object.keys(settings)).not.toContain('insert_quorum_parallel=0');
  const engine = await one.clickhouse.store.query<{ engine: string }>(
    "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = 'calls'",
  );
  expect(engine).toEqual([{ engine: 'ReplicatedReplacingMergeTree' }]);
});

test('reads after a change of the replica see all that was acknowledged, also where the next one lags', async () => {
  const one = await open();
  await front.set({}, { lags: true });
  await write(one, 'a', 'b');
  await front.set({ isDead: true });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 15_000 }).toEqual(['a', 'b']);
  expect(await inUse()).toBe(1);
  await write(one, 'c');
  expect(await digests(one)).toEqual(['a', 'b', 'c']);
  expect(one.messages.join()).toMatch(/does not answer: changing to .*is used from now on/s);
}, 30_000);

test.each([
  ['refuses connections', { isDead: true }],
  ['does not answer', { isSilent: true }],
  ['has lost its coordination service', { isReadOnly: true }],
])(
  'an insert into a replica that %s is stored on another one, once',
  async (_, state) => {
    const one = await open();
    await write(one, 'a');
    const writes = Array.from({ length: 5 }, (__, index) => write(one, `b${index}`));
    await front.set(state);
    await Promise.all([...writes, write(one, 'c')]);
    expect(await inUse()).not.toBe(0);
    expect(await digests(one)).toEqual(['a', 'b0', 'b1', 'b2', 'b3', 'b4', 'c']);
  },
  60_000,
);

test('an insert whose quorum nobody knows is sent again with its token, and stored once', async () => {
  const one = await open();
  await front.fail({ statement: 'INSERT INTO object_values', times: 2, kind: 'quorum' });
  await write(one, 'a');
  expect(await digests(one)).toEqual(['a']);
  await front.set({ isDead: true });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 15_000 }).toEqual(['a']);
}, 30_000);

test('without a majority, inserts wait until there is one again', async () => {
  const one = await open();
  await front.set({}, { isDead: true }, { isDead: true });
  let isStored = false;
  const stored = write(one, 'a').then(() => {
    isStored = true;
  });
  await setTimeout(2_000);
  expect(isStored).toBe(false);
  await front.set({}, { isDead: false });
  await stored;
  expect(await digests(one)).toEqual(['a']);
}, 30_000);

test('without a quorum, the next replica is used although rows are missing, and the log says so', async () => {
  const one = await open({ quorum: 'off' });
  await front.set({}, { lags: true }, { lags: true });
  await write(one, 'a');
  await front.set({ isDead: true });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 15_000 }).toEqual([]);
  expect(one.messages.join()).toContain('without rows that only another replica has');
  await front.set({ isDead: false }, { lags: false });
  expect(await digests(one)).toEqual(['a']);
}, 30_000);

test('with a quorum, a replica that cannot get all rows is not used', async () => {
  const one = await open();
  await front.set({}, { lags: true });
  await write(one, 'a'); // on the first and the third
  await front.set({ isDead: true }, {}, { isDead: true });
  await setTimeout(3_000);
  await expect(withinScope({ group: 'g', signal: null }, () => digests(one))).rejects.toMatchObject({
    kind: 'unavailable',
  });
  const problem = () => one.clickhouse.probe().then(String, ({ message }: Error) => message);
  await expect.poll(problem, { timeout: 20_000 }).toMatch(/does not answer|cannot be used/);
  await front.set({}, {}, { isDead: false });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 20_000 }).toEqual(['a']);
}, 60_000);

test('several processes use one replica: a change waits for each that lives', async () => {
  const one = await open({ isAlone: false });
  const two = await open({ isAlone: false });
  await front.set({}, { lags: true }, { lags: true });
  for (let round = 0; round < 5; round++) {
    await write(one, `${round}one`);
    expect(await digests(two)).toContain(`${round}one`);
    await write(two, `${round}two`);
    expect(await digests(one)).toContain(`${round}two`);
  }
  await front.set({ isDead: true });
  await Promise.all([write(one, 'later one'), write(two, 'later two')]);
  expect(await digests(one)).toEqual(await digests(two));
  expect(await digests(one)).toHaveLength(12);
  expect(await inUse()).not.toBe(0);
}, 60_000);

test('a process that is cut off from PostgreSQL stops when its lease ends, before the others go on', async () => {
  let isCut = false;
  const db = new Proxy(postgres.db, {
    get(target, name) {
      if (isCut) throw new Error('cut off');
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const one = await open({ isAlone: false, leaseMs: 4_000 });
  const two = await open({ isAlone: false, leaseMs: 4_000, agreement: { ...postgres, db } });
  await write(two, 'a');
  isCut = true;
  await write(two, 'b'); // its lease lasts
  await front.set({}, { lags: true });
  await postgres.db
    .updateTable('clickhouse_servers')
    .set({ replica: front.origins[1]!, term: 2, is_ready: false })
    .execute();
  const hasChanged = () => one.messages.join().includes('is used from now on');
  const readOfTwo = () => withinScope({ group: 'g', signal: null }, () => digests(two));
  expect(await readOfTwo()).toEqual(['a', 'b']); // its lease lasts still
  await expect.poll(hasChanged, { timeout: 20_000, interval: 10 }).toBe(true);
  await expect(readOfTwo()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await digests(one)).toEqual(['a', 'b']);
  isCut = false;
  await expect.poll(() => digests(two).catch(() => null), { timeout: 10_000 }).toEqual(['a', 'b']);
}, 60_000);

test('a new process uses the replica that is agreed on, although another comes first in its address', async () => {
  const one = await open();
  await write(one, 'a');
  await front.set({ isDead: true });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 15_000 }).toEqual(['a']);
  await one.clickhouse.store.close();
  await front.set({ isDead: false, lags: true });
  const next = await open();
  expect(await inUse()).toBe(1);
  await write(next, 'b');
  expect(await digests(next)).toEqual(['a', 'b']);
}, 60_000);

test('an address that leads to several servers is refused', async () => {
  await front.set({}, { names: ['replica-2', 'replica-3'] });
  await expect(open()).rejects.toThrow(/leads to several servers \(replica-2, replica-3\)/);
});

test('another server behind the address in use is a change of the replica', async () => {
  const one = await open();
  await write(one, 'a');
  await front.set({ names: ['another'] });
  await expect.poll(() => digests(one).catch(() => null), { timeout: 15_000 }).toEqual(['a']);
  expect(await inUse()).toBe(1);
}, 30_000);

test('while nothing is asked for, nothing is sent', async () => {
  await open();
  const { statements } = await front.counts();
  await setTimeout(3_000);
  expect((await front.counts()).statements).toBe(statements);
}, 10_000);

test.each([
  ['takes longer than the server waits', { changesTakeMs: 1_500 }, {}],
  ['does not reach a replica that is down', {}, { isDead: true }],
])(
  'a change of the schema that %s is waited for in its queue',
  async (_, first, second) => {
    const { store } = (await open()).clickhouse;
    await front.set(first, second);
    const table = `t${project.slice(0, 8)}`;
    const startedAt = performance.now();
    await store.command(
      `CREATE TABLE IF NOT EXISTS ${table} ON CLUSTER 'main' (id String) ENGINE = ReplicatedMergeTree ORDER BY id`,
    );
    if ('changesTakeMs' in first) expect(performance.now() - startedAt).toBeGreaterThan(first.changesTakeMs);
    await front.set({}, { isDead: false });
    await store.insert(table, Buffer.from('{"id":"a"}\n'));
    await front.set({ isDead: true });
    const read = () => store.query(`SELECT id FROM ${table}`).catch(() => null);
    await expect.poll(read, { timeout: 15_000 }).toEqual([{ id: 'a' }]);
  },
  60_000,
);
