import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { copyStoreTemplate } from '../api/testing/store-template.ts';
import { describeClickHouse } from './clickhouse/describe-schema.ts';
import { openEmbeddedClickHouse } from './clickhouse/embedded/embedded-clickhouse.ts';
import { migrateClickHouse } from './clickhouse/migrate.ts';
import { describePostgres } from './postgres/describe-schema.ts';
import { openEmbeddedPostgres } from './postgres/embedded/embedded-postgres.ts';

const advice = 'a migration has changed the schema: run `npm run schema`, look at the difference, and commit it';
const kept = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8').replace(/^--.*\n\n/, '');

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

test('the ClickHouse schema is the one kept in the tree', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-schema-'));
  directories.push(directory);
  const clickhouse = openEmbeddedClickHouse(directory);
  await migrateClickHouse(clickhouse);
  expect(await describeClickHouse(clickhouse), advice).toBe(kept('./clickhouse/schema.generated.sql'));
  await clickhouse.close();
});

test('the PostgreSQL schema is the one kept in the tree', async () => {
  const directory = copyStoreTemplate(inject('storeTemplate'), 'postgres');
  directories.push(directory);
  const postgres = await openEmbeddedPostgres(join(directory, 'postgres'));
  expect(await describePostgres(postgres), advice).toBe(kept('./postgres/schema.generated.sql'));
  await postgres.close();
});
