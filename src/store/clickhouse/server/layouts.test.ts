import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { generousLimits } from '../lanes/read-limits.ts';
import { migrateClickHouse } from '../migrate.ts';
import { serverClickHouse } from './open.ts';
import { parseServerUrl } from './server-url.ts';
import { type Front, type FrontKind, startFront } from './testing/start-front.ts';

/** With fronts: doubles of what servers say about clusters, databases and Cloud. */

const kinds = {
  single: { kind: 'single' },
  cloud: { kind: 'cloud' },
  pair: { kind: 'cluster', replicas: 2 },
  shards: { kind: 'cluster', replicas: 2, shards: 2 },
  database: { kind: 'replicated database', replicas: 3 },
} satisfies Record<string, FrontKind>;
const directories: string[] = [];
const fronts = {} as Record<keyof typeof kinds, Front>;

beforeAll(async () => {
  for (const [name, kind] of Object.entries(kinds)) {
    const directory = mkdtempSync(join(tmpdir(), 'heddle-layouts-'));
    directories.push(directory);
    fronts[name as keyof typeof kinds] = await startFront(directory, kind);
  }
}, 60_000);
afterAll(async () => {
  for (const front of Object.values(fronts)) await front.kill();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

const open = (url: string) =>
  serverClickHouse({ address: parseServerUrl(url), limits: generousLimits, insertsPerSecondMax: 1000 });

const engines = `SELECT DISTINCT engine FROM system.tables WHERE database = currentDatabase() ORDER BY engine`;
const row = Buffer.from('{"project_id":"p","digest":"d","value":"1"}\n');

test('a single server has plain tables, which recognize inserts that are sent again', async () => {
  const { store, address } = await open(fronts.single.url('plain'));
  await migrateClickHouse(store);
  await fronts.single.fail({ statement: 'INSERT INTO object_values', times: 2, kind: 'unanswered' });
  await store.insert('object_values', row);
  expect(await store.query('SELECT count() AS count FROM object_values')).toEqual([{ count: 1 }]);
  expect(address).toMatch(/^http\S+$/);
  await store.close();
});

test('ClickHouse Cloud has plain statements, and each read waits for what was acknowledged', async () => {
  const { store, agree, address } = await open(fronts.cloud.url('traces'));
  expect(agree).toBeNull();
  expect(address).toMatch(/ \(ClickHouse Cloud\)$/);
  await migrateClickHouse(store);
  await store.insert('object_values', row);
  const before = (await fronts.cloud.counts()).settings['select_sequential_consistency=1'] ?? 0;
  await store.query('SELECT count() AS count FROM object_values');
  const { settings } = await fronts.cloud.counts();
  expect(settings['select_sequential_consistency=1']).toBe(before + 1);
  expect(Object.keys(settings).join()).not.toContain('insert_quorum');
  await store.close();
});

test('two replicas have no quorum unless it is asked for', async () => {
  const { store, address } = await open(fronts.pair.url('pair'));
  await migrateClickHouse(store);
  expect(await store.query(engines)).toEqual([
    { engine: 'ReplicatedMergeTree' },
    { engine: 'ReplicatedReplacingMergeTree' },
  ]);
  await store.insert('object_values', row);
  const { settings } = await fronts.pair.counts();
  expect(settings['insert_quorum=0']).toBeGreaterThan(0);
  expect(Object.keys(settings)).not.toContain('insert_quorum=auto');
  expect(Object.keys(settings).join()).not.toContain('select_sequential');
  expect(address).toMatch(/ \(2 replicas, inserts without a quorum\)$/);
  await store.close();
  const asked = await serverClickHouse({
    ...{ address: parseServerUrl(fronts.pair.url('pair')), limits: generousLimits, insertsPerSecondMax: 1000 },
    quorum: 'majority',
  });
  await asked.store.insert('object_values', row);
  expect(Object.keys((await fronts.pair.counts()).settings)).toContain('insert_quorum=auto');
  await asked.store.close();
});

test('in a replicated database, no statement names a cluster', async () => {
  const { store } = await open(fronts.database.url('tests'));
  await migrateClickHouse(store);
  await store.insert('object_values', row);
  expect(await store.query('SELECT digest FROM object_values')).toEqual([{ digest: 'd' }]);
  expect(await store.query(engines)).toEqual([
    { engine: 'ReplicatedMergeTree' },
    { engine: 'ReplicatedReplacingMergeTree' },
  ]);
  await store.close();
});

test.each([
  [
    'several hosts without a cluster',
    () => bare(fronts.pair.url('pair')),
    /several hosts need the name of their cluster/,
  ],
  ['several hosts without a database', () => bare(fronts.pair.url('missing')), /it has no database missing/],
  ['a cluster that is not known', () => fronts.pair.url('pair').replace('=main', '=other'), /knows no cluster other/],
  ['more than one shard', () => fronts.shards.url('some'), /the cluster main has 2 shards, and heddle needs one/],
  [
    'Cloud with a cluster',
    () => `${fronts.cloud.url('traces')}?cluster=main`,
    /Cloud has one address, without \?cluster=/,
  ],
])('refuses %s', async (_, url, words) => {
  await expect(open(url())).rejects.toThrow(words);
});

test('refuses plain tables where there are replicas, and replicated tables where there are none', async () => {
  const one = await open(fronts.pair.url('mixed'));
  await one.store.command('CREATE TABLE calls (id String) ENGINE = MergeTree ORDER BY id');
  await one.store.close();
  await expect(open(fronts.pair.url('mixed'))).rejects.toThrow(/its table calls is not replicated\. A single server/);
  const [first] = fronts.pair.origins;
  const alone = bare(fronts.pair.url('pair')).replace(/@[^/]+/, `@${new URL(first!).host}`);
  await expect(open(alone)).rejects.toThrow(/its tables .* are replicated: add \?cluster=NAME/);
});

test('one of the replicas is enough to start', async () => {
  await fronts.pair.set({ isDead: true });
  const { store } = await open(fronts.pair.url('pair'));
  expect(await store.query('SELECT count() > 0 AS hasRows FROM object_values')).toEqual([{ hasRows: 1 }]);
  await store.close();
  await fronts.pair.set({}, { isDead: true });
  await expect(open(fronts.pair.url('pair'))).rejects.toThrow(/cannot be used: it does not answer/);
  await fronts.pair.set({ isDead: false }, { isDead: false });
}, 30_000);

test('a balancer in front of single servers is refused; a server that takes the place of another is not', async () => {
  await fronts.single.set({ names: ['a', 'b'] });
  await expect(open(fronts.single.url('plain'))).rejects.toThrow(/leads to several servers \(a, b\)/);
  await fronts.single.set({ names: ['a'] });
  const { store, probe } = await open(fronts.single.url('plain'));
  await store.query('SELECT 1');
  await fronts.single.set({ names: ['renamed'] });
  expect(await store.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await fronts.single.set({ names: ['a', 'b'] });
  await expect(store.query('SELECT 1')).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(probe()).rejects.toThrow(/leads to several servers/);
  await fronts.single.set({ names: ['a'] });
  await expect.poll(() => store.query('SELECT 1 AS one').catch(() => null), { timeout: 15_000 }).toEqual([{ one: 1 }]);
  await store.close();
}, 60_000);

const bare = (url: string) => url.replace(/\?.*/, '');
