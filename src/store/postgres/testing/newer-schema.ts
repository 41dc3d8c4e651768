import { readdirSync } from 'node:fs';
import { migratePostgres } from '../migrate.ts';
import { serverPostgres } from '../server/open.ts';
import { parseServerUrl } from '../server/server-url.ts';

/** Additions that a later version might make to tables that are much used. */
const oneMore = `
  CREATE TABLE novelties (id text PRIMARY KEY, project_id text REFERENCES projects (id));
  ALTER TABLE projects ADD COLUMN novelty text;
  ALTER TABLE object_versions ADD COLUMN novelty text NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN novelty integer NOT NULL DEFAULT 0;
  ALTER TABLE artifacts ADD COLUMN novelty text;
  ALTER TABLE training_jobs ADD COLUMN novelty text;
  INSERT INTO schema_migrations (number, name, is_additive) VALUES (9000, '9000_novelties.sql', true)`;

/**
 * Gives a database the newest schema and one more migration, for the tests of an older heddle. Those of the migrations that it
 * does not know are not listed if it may be too old to know that they are additive: it then works like a process that was running when they were made.
 */
export async function migrateForOlder(url: string, itsMigrations: string): Promise<void> {
  const address = parseServerUrl(url);
  const { store } = await serverPostgres({ address, direct: address, connectionsMax: 2, waitMsMax: 0 });
  await migratePostgres(store);
  await store.changeSchema((script) => script(oneMore));
  const known = Math.max(...readdirSync(itsMigrations).map((name) => Number.parseInt(name, 10)));
  if (known < firstThatKnows) await store.db.deleteFrom('schema_migrations').where('number', '>', known).execute();
  await store.close();
}

const firstThatKnows = 24;
