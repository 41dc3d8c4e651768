import { type Migration, migrate } from '../migrations.ts';
import type { Postgres } from './postgres.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/** Migrates the PostgreSQL store to the newest schema; each migration is one transaction. */
export async function migratePostgres(postgres: Postgres): Promise<void> {
  await postgres.changeSchema(async (script) => {
    await script(
      'CREATE TABLE IF NOT EXISTS schema_migrations ' +
        '(number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    await migrate(
      {
        name: 'PostgreSQL',
        async applied() {
          const rows = await postgres.db.selectFrom('schema_migrations').select('number').execute();
          return rows.map((row) => row.number);
        },
        async apply({ number, name, sql }: Migration) {
          const record = `INSERT INTO schema_migrations (number, name) VALUES (${number}, '${name}');`;
          await script(`BEGIN;\n${sql}\n${record}\nCOMMIT;`);
        },
      },
      migrationsFolder,
    );
  });
}
