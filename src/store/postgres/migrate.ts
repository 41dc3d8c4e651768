import { breaksOlder, type Migration, migrate } from '../migrations.ts';
import { concurrentIndex } from './additive.ts';
import { collateTexts } from './collate-texts.ts';
import type { Postgres } from './postgres.ts';

const migrationsFolder = new URL('./migrations/', import.meta.url);

/**
 * Migrates the PostgreSQL store to the newest schema; each migration is one transaction. It records which migrations older
 * programs can work with (`additive.ts`), so that a process of the version before can run, and start, on the new schema.
 */
export async function migratePostgres(postgres: Postgres): Promise<void> {
  await postgres.changeSchema(async (script) => {
    await script(
      'CREATE TABLE IF NOT EXISTS schema_migrations ' +
        '(number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now()); ' +
        'ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS is_additive boolean NOT NULL DEFAULT false',
    );
    const applied = () => postgres.db.selectFrom('schema_migrations').select('number');
    await migrate(
      {
        name: 'PostgreSQL',
        applied: async () => (await applied().execute()).map((row) => row.number),
        additive: async () => (await applied().where('is_additive', '=', true).execute()).map((row) => row.number),
        apply: (migration) => apply(migration, script),
      },
      migrationsFolder,
    );
    await script(collateTexts);
  });
}

async function apply({ number, name, sql }: Migration, script: (sql: string) => Promise<void>): Promise<void> {
  const record = `INSERT INTO schema_migrations (number, name, is_additive) VALUES (${number}, '${name}', ${!breaksOlder(sql)});`;
  const index = concurrentIndex(sql);
  if (index === null) return script(`BEGIN;\n${sql}\n${record}\nCOMMIT;`);
  await script(`DROP INDEX IF EXISTS ${index}`); // what an interrupted attempt has left is not valid
  await script(sql);
  await script(record);
}
