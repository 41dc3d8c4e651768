import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import { openEmbeddedClickHouse } from './embedded/embedded-clickhouse.ts';
import { isForLayout } from './layout.ts';
import { migrateClickHouse, statements } from './migrate.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-clickhouse-'));
const clickhouse = openEmbeddedClickHouse(directory);
const folder = new URL('./migrations/', import.meta.url);
const names = readdirSync(folder)
  .filter((name) => isForLayout(name, { kind: 'embedded' }))
  .sort();

afterEach(async () => {
  const tables = 'SELECT name FROM system.tables WHERE database = currentDatabase()';
  for (const { name } of await clickhouse.query<{ name: string }>(tables)) {
    await clickhouse.command(`DROP TABLE ${name} SYNC`);
  }
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(directory, { recursive: true, force: true });
});

test('calls from before the texts of spans shared a column are kept, also where migrations were cut off', async () => {
  const run = async (name: string) => {
    for (const sql of statements(readFileSync(new URL(name, folder), 'utf8'))) await clickhouse.command(sql);
  };
  const place = names.indexOf('0008_own_texts.sql');
  for (const name of names.slice(0, place)) await run(name);
  const call = { project_id: 'p', started_at: 1, id: 'span', version: 1, is_started: 1, mapper_version: 1 };
  const texts = { inputs: '{"q":"naïve shuttle"}', output: '"o"', otel_dump: '{"a":1}' };
  await clickhouse.insert('calls', Buffer.from(`${JSON.stringify({ ...call, ...texts })}\n`));
  for (const name of names.slice(place)) {
    await run(name);
    await run(name);
  }
  const found = "SELECT inputs, output, otel_dump FROM calls WHERE inputs ILIKE '%shuttle%'";
  expect(await clickhouse.query(found)).toEqual([texts]);
});

test('migrating twice changes nothing the second time', async () => {
  await migrateClickHouse(clickhouse);
  await migrateClickHouse(clickhouse);
  const rows = await clickhouse.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY number');
  expect(rows.map((row) => row.name)).toEqual(names);
});

test('a schema with newer migrations is used if they are additive', async () => {
  await migrateClickHouse(clickhouse);
  const record = (row: object) => clickhouse.insert('schema_migrations', Buffer.from(`${JSON.stringify(row)}\n`));
  await record({ number: 9000, name: '9000_novelty.sql', is_additive: 1 });
  await migrateClickHouse(clickhouse);
  await record({ number: 9001, name: '9001_break.sql', is_additive: 0 });
  await expect(migrateClickHouse(clickhouse)).rejects.toThrow('its schema is number 9001');
});
