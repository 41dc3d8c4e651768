import type { Kysely, Transaction } from 'kysely';
import type { BackendProfile } from 'pg-boss';
import type { Database } from './schema.ts';

/** The store of data that changes, must be unique, or is ordered. Each kind of it is a folder beside this file. */
export type Postgres = {
  /**
   * Name tables in raw SQL with `sql.table`: a server keeps them in a schema, which is added to their names. Transactions
   * may be run again after a deadlock: what they do outside the store must be safe to repeat.
   */
  db: Kysely<Database>;
  /**
   * Runs changes of the schema while no other process does. A script has several statements without parameters; its
   * unqualified names are in the schema of the store. It may be called within itself.
   */
  changeSchema<Result>(work: (script: (sql: string) => Promise<void>) => Promise<Result>): Promise<Result>;
  /**
   * Runs work once a transaction is committed: another connection sees nothing of it before. Never, if it is rolled back.
   */
  afterCommit(transaction: Transaction<Database>, work: () => void): void;
  /** For a library that brings its own SQL: one statement with values, or a script without. */
  executeSql(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** Where the tables are, for SQL that is made from the catalog. */
  schema: string;
  /** Where the library of the job queue keeps its tables, whether it makes the schema, and what it calls this kind. */
  jobs: { schema: string; createSchema: boolean; backend: BackendProfile };
  close(): Promise<void>;
};
