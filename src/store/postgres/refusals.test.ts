import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedPostgres } from './embedded/embedded-postgres.ts';
import type { Postgres } from './postgres.ts';

const directory = mkdtempSync(join(tmpdir(), 'heddle-postgres-'));
const value = JSON.stringify({ name: 'a\0b' });
let postgres: Postgres;

beforeAll(async () => {
  postgres = await openEmbeddedPostgres(directory);
});
afterAll(async () => {
  await postgres.close();
  rmSync(directory, { recursive: true });
});

test.each([
  ['a query of our own', () => sql`SELECT ${value}::jsonb`.execute(postgres.db)],
  ['a statement of a library, such as one that adds a job', () => postgres.executeSql('SELECT $1::jsonb', [value])],
])('a value that PostgreSQL cannot store is invalid input: %s', async (_, run) => {
  await expect(run()).rejects.toMatchObject({ kind: 'invalidInput', message: expect.stringContaining('U+0000') });
});

test('a row that refers to one that was just deleted is not found', async () => {
  await postgres.changeSchema((script) =>
    script('CREATE TABLE models (id int PRIMARY KEY); CREATE TABLE jobs (model int REFERENCES models)'),
  );
  const added = sql`INSERT INTO jobs VALUES (1)`.execute(postgres.db);
  await expect(added).rejects.toMatchObject({ kind: 'notFound', message: expect.stringContaining('deleted') });
});
