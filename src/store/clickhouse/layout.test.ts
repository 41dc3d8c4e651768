import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forLayout, isForLayout, type Layout } from './layout.ts';
import { statements } from './migrate.ts';

const folder = new URL('./migrations/', import.meta.url);
const onCluster: Layout = { kind: 'replicas', cluster: 'main' };
const inReplicatedDatabase: Layout = { kind: 'replicas', cluster: null };

function migrationsFor(layout: Layout): string[] {
  const names = readdirSync(folder).filter((name) => isForLayout(name, layout));
  return names.sort().flatMap((name) => statements(readFileSync(new URL(name, folder), 'utf8'), layout));
}

const made = 'CREATE TABLE IF NOT EXISTS rows (id String)\nENGINE = ReplacingMergeTree(version)\nORDER BY id';

test.each<[string, Layout, string]>([
  ['embedded', { kind: 'embedded' }, made],
  ['single server', { kind: 'single server' }, made],
  ['Cloud', { kind: 'cloud' }, made],
  [
    'cluster',
    onCluster,
    "CREATE TABLE IF NOT EXISTS rows ON CLUSTER 'main' (id String)\nENGINE = ReplicatedReplacingMergeTree(version)\nORDER BY id",
  ],
  [
    'replicated database',
    inReplicatedDatabase,
    'CREATE TABLE IF NOT EXISTS rows (id String)\nENGINE = ReplicatedReplacingMergeTree(version)\nORDER BY id',
  ],
])('a table is created for its layout: %s', (_, layout, sql) => {
  expect(forLayout(made, layout)).toBe(sql);
});

test.each<[string, Layout, { engine: RegExp; create: RegExp }]>([
  ['single server', { kind: 'single server' }, { engine: /^(Replacing)?MergeTree/, create: /^\w+ \(/ }],
  ['Cloud', { kind: 'cloud' }, { engine: /^(Replacing)?MergeTree/, create: /^\w+ \(/ }],
  ['cluster', onCluster, { engine: /^Replicated(Replacing)?MergeTree/, create: /^\w+ ON CLUSTER 'main' \(/ }],
  ['replicated database', inReplicatedDatabase, { engine: /^Replicated(Replacing)?MergeTree/, create: /^\w+ \(/ }],
])('every migration has the engines of its layout: %s', (_, layout, { engine, create }) => {
  const tables = migrationsFor(layout).filter((sql) => /\bCREATE TABLE\b/.test(sql));
  expect(tables.length).toBeGreaterThan(5);
  for (const sql of tables) {
    expect(/\bENGINE = (.*)/.exec(sql)?.[1]).toMatch(engine);
    expect(/\bCREATE TABLE IF NOT EXISTS (.*)/.exec(sql)?.[1]).toMatch(create);
  }
});

test.each<Layout>([{ kind: 'single server' }, { kind: 'cloud' }, onCluster, inReplicatedDatabase])(
  'no server gets settings of the embedded kind, and each has partitions by month: %j',
  (layout) => {
    const all = migrationsFor(layout).join('\n');
    expect(all).not.toMatch(/cleanup_delay_period|old_parts_lifetime|merge_selector_base|-- server:|-- embedded/);
    expect(all.match(/PARTITION BY/g)).toHaveLength(2);
  },
);

test('replicas run only statements that reach all of them', () => {
  for (const layout of [onCluster, inReplicatedDatabase]) {
    for (const sql of migrationsFor(layout)) {
      const [verb] = sql.replaceAll(/^--.*\n/gm, '').match(/^(CREATE TABLE|ALTER TABLE)/) ?? [];
      expect(verb, sql).toBeDefined();
      expect(sql, 'a setting of a table is not replicated').not.toMatch(/MODIFY SETTING|RESET SETTING/);
    }
  }
});

test('only single servers get the setting that recognizes repeated inserts: replicated tables do so by default', () => {
  const window = /non_replicated_deduplication_window/;
  expect(migrationsFor({ kind: 'single server' }).filter((sql) => window.test(sql))).toHaveLength(8);
  for (const layout of [onCluster, inReplicatedDatabase, { kind: 'cloud' }, { kind: 'embedded' }] satisfies Layout[]) {
    expect(migrationsFor(layout).join('\n')).not.toMatch(window);
  }
});
