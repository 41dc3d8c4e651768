import { breaksOlder, type Migration, migrate, readMigrations } from '../migrations.ts';
import type { ClickHouse } from './clickhouse.ts';
import { forLayout, isForLayout, type Layout } from './layout.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Migrates the ClickHouse store to the newest schema. A migration may be interrupted anywhere: its statements can run
 * again. The files are written for the embedded kind, and adapted to the layout of the store (`layout.ts`). It is recorded which
 * migrations older programs can work with, as in PostgreSQL.
 */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  const { layout } = clickhouse;
  await clickhouse.command(forLayout(tableOfMigrations, layout));
  await clickhouse.command('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS is_additive UInt8 DEFAULT 0');
  const numbers = async (condition: string) => {
    const sql = `SELECT DISTINCT number FROM schema_migrations WHERE ${condition}`;
    return (await clickhouse.query<{ number: number }>(sql)).map(({ number }) => number);
  };
  await migrate(
    {
      name: 'ClickHouse',
      applied: () => numbers('true'),
      additive: () => numbers('is_additive'),
      async apply(migration: Migration) {
        for (const statement of statements(migration.sql, layout)) await clickhouse.command(statement);
        const { number, name, sql } = migration;
        const row = { number, name, is_additive: breaksOlder(sql) ? 0 : 1 };
        await clickhouse.insert('schema_migrations', Buffer.from(`${JSON.stringify(row)}\n`));
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
