import { type Migration, migrate, readMigrations } from '../migrations.ts';
import type { ClickHouse } from './clickhouse.ts';
import { forLayout, isForLayout, type Layout } from './layout.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Migrates the ClickHouse store to the newest schema. A migration may be interrupted anywhere: its statements can run
 * again. The files are written for the embedded kind, and adapted to the layout of the store (`layout.ts`).
 */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  const { layout } = clickhouse;
  await clickhouse.command(forLayout(tableOfMigrations, layout));
  await migrate(
    {
      name: 'ClickHouse',
      async applied() {
        const rows = await clickhouse.query<{ number: number }>('SELECT number FROM schema_migrations');
        return rows.map((row) => row.number);
      },
      async apply(migration: Migration) {
        for (const statement of statements(migration.sql, layout)) await clickhouse.command(statement);
        const { number, name } = migration;
        await clickhouse.insert('schema_migrations', Buffer.from(`${JSON.stringify({ number, name })}\n`));
      },
    },
    migrationsFolder,
    ({ name }) => isForLayout(name, layout),
  );
}

/** The number of the last migration for a layout. */
export function newestMigration(layout: Layout): number {
  const ofLayout = readMigrations(migrationsFolder).filter(({ name }) => isForLayout(name, layout));
  return Math.max(...ofLayout.map(({ number }) => number));
}

const tableOfMigrations =
  'CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, applied_at DateTime DEFAULT now()) ' +
  'ENGINE = MergeTree ORDER BY number';

/** ClickHouse takes one statement at a time. Statements end with a semicolon at the end of a line. */
export function statements(sql: string, layout: Layout = { kind: 'embedded' }): string[] {
  return forLayout(sql, layout)
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
