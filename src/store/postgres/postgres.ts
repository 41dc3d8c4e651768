import type { Kysely } from 'kysely';
import type { BackendProfile } from 'pg-boss';
import type { Database } from './schema.ts';

/** The store of data that changes, must be unique, or is ordered. Each kind of it is a folder beside this file. */
export type Postgres = {
  db: Kysely<Database>;
  /** Runs a script of several statements, without parameters. */
  script(sql: string): Promise<void>;
  /** For a library that brings its own SQL: one statement with values, or a script without. */
  executeSql(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** What the library of the job queue calls this kind. */
  queueBackend: BackendProfile;
  close(): Promise<void>;
};
