import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openChdb } from './clickhouse.ts';
import { migrateClickHouse } from './migrate.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-clickhouse-'));
const clickhouse = openChdb(directory);

afterAll(async () => {
  await clickhouse.close();
  rmSync(directory, { recursive: true, force: true });
});

test('migrating twice changes nothing the second time', async () => {
  await migrateClickHouse(clickhouse);
  await migrateClickHouse(clickhouse);
  const rows = await clickhouse.query<{ name: string }>('SELECT name FROM schema_migrations ORDER BY number');
  expect(rows.map((row) => row.name)).toEqual(readdirSync(new URL('./migrations/', import.meta.url)).sort());
});
