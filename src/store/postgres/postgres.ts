import { mkdirSync } from 'node:fs';
import { PGlite, types } from '@electric-sql/pglite';
import { Kysely, PGliteDialect } from 'kysely';
import { refuseBadValues } from './refuse-bad-values.ts';
import type { Database } from './schema.ts';

/** The store of what changes, must be unique, or is ordered. */
export type Postgres = {
  db: Kysely<Database>;
  /** Runs a script of several statements, without parameters. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
};

/** One connection and small tables: PostgreSQL's defaults would take 130 MB more. */
const settings = ['shared_buffers = 16MB', 'wal_buffers = 1MB', 'max_connections = 4'];

/** Strictly as ISO 8601: JavaScript takes `0099-12-31 00:00:00+00` for a time of the year 1999. */
const parsers = {
  [types.TIMESTAMPTZ]: (text: string) => new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')),
};

/** Opens PGlite, PostgreSQL inside the process, on a directory. */
export async function openPglite(directory: string): Promise<Postgres> {
  mkdirSync(directory, { recursive: true });
  const pglite = await PGlite.create({ dataDir: directory, postgresqlconf: settings, parsers });
  const dialect = new PGliteDialect({ pglite, onCreateConnection: async (connection) => refuseBadValues(connection) });
  const db = new Kysely<Database>({ dialect });
  return {
    db,
    async script(sql) {
      await pglite.exec(sql);
    },
    async close() {
      await db.destroy();
      if (!pglite.closed) await pglite.close();
    },
  };
}
