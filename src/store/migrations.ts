import { readdirSync, readFileSync } from 'node:fs';

export type Migration = { number: number; name: string; sql: string };

/** A store that knows which numbered migrations it has seen. */
export type MigrationTarget = {
  /** Name for messages, such as `ClickHouse`. */
  name: string;
  applied(): Promise<number[]>;
  apply(migration: Migration): Promise<void>;
};

/** The store holds migrations this program does not have: it was written by a newer one. */
export class StoreTooNewError extends Error {
  constructor(store: string, found: number, known: number) {
    super(
      `The ${store} store was written by a newer heddle (its schema is number ${found}, this one knows ${known}). ` +
        'Start that newer heddle, or point HEDDLE_DATA at another directory.',
    );
  }
}

/** Brings a store to the newest schema: applies, in order, each numbered `.sql` file of the folder it has not seen. */
export async function migrate(target: MigrationTarget, folder: URL): Promise<void> {
  const migrations = readMigrations(folder);
  const applied = new Set(await target.applied());
  const newest = Math.max(0, ...applied);
  const known = Math.max(0, ...migrations.map((migration) => migration.number));
  if (newest > known) throw new StoreTooNewError(target.name, newest, known);
  for (const migration of migrations) {
    if (!applied.has(migration.number)) await target.apply(migration);
  }
}

function readMigrations(folder: URL): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => ({ number: Number.parseInt(name, 10), name, sql: readFileSync(new URL(name, folder), 'utf8') }));
}
