import { type Migration, migrate } from '../migrations.ts';
import type { ClickHouse } from './clickhouse.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Migrates the ClickHouse store to the newest schema. A migration may be interrupted anywhere: its statements can run
 * again. The files are written for the embedded kind. On a server, those named `….embedded.sql` are left out, and so are
 * lines that end with `-- embedded`; lines that begin with `-- server:` count.
 */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  await clickhouse.command(
    'CREATE TABLE IF NOT EXISTS schema_migrations (number UInt32, name String, applied_at DateTime DEFAULT now()) ' +
      'ENGINE = MergeTree ORDER BY number',
  );
  await migrate(
    {
      name: 'ClickHouse',
      async applied() {
        const rows = await clickhouse.query<{ number: number }>('SELECT number FROM schema_migrations');
        return rows.map((row) => row.number);
      },
      async apply(migration: Migration) {
        for (const statement of statements(migration.sql, clickhouse.kind)) await clickhouse.command(statement);
        const { number, name } = migration;
        await clickhouse.insert('schema_migrations', Buffer.from(`${JSON.stringify({ number, name })}\n`));
      },
    },
    migrationsFolder,
    ({ name }) => clickhouse.kind === 'embedded' || !name.endsWith('.embedded.sql'),
  );
}

/** ClickHouse takes one statement at a time. Statements end with a semicolon at the end of a line. */
export function statements(sql: string, kind: ClickHouse['kind'] = 'embedded'): string[] {
  return (kind === 'server' ? forServer(sql) : sql)
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

function forServer(sql: string): string {
  return sql.replaceAll(/^.* -- embedded\n/gm, '').replaceAll(/^-- server: /gm, '');
}
