import { readdirSync, readFileSync } from 'node:fs';

export type Migration = { number: number; name: string; sql: string };

/** A store that records the numbered migrations applied to it. */
export type MigrationTarget = {
  /** Name for messages, such as `ClickHouse`. */
  name: string;
  applied(): Promise<number[]>;
  /** Those of the applied ones that programs without them can work with. */
  additive?(): Promise<number[]>;
  apply(migration: Migration): Promise<void>;
};

/** The store has migrations that this program neither has nor can work with: a newer version wrote it. */
export class StoreTooNewError extends Error {
  constructor(store: string, found: number, known: number) {
    super(
      `The ${store} store was written by a newer heddle (its schema is number ${found}, this one knows ${known}). ` +
        'Start that newer heddle, or point HEDDLE_DATA at another directory.',
    );
  }
}

/**
 * Migrates a store to the newest schema: applies, in order, each numbered `.sql` file of the folder that has not been
 * applied yet. `isNeeded` leaves out those that are not for this kind of the store.
 */
export async function migrate(
  target: MigrationTarget,
  folder: URL,
  isNeeded: (migration: Migration) => boolean = () => true,
): Promise<void> {
  const migrations = readMigrations(folder);
  const applied = new Set(await target.applied());
  const known = Math.max(0, ...migrations.map((migration) => migration.number));
  const additive = new Set(await target.additive?.());
  const newest = Math.max(0, ...[...applied].filter((number) => !additive.has(number)));
  if (newest > known) throw new StoreTooNewError(target.name, newest, known);
  for (const migration of migrations) {
    if (!applied.has(migration.number) && isNeeded(migration)) await target.apply(migration);
  }
}

/**
 * Whether programs without a migration cannot work on the schema after it: it then begins with the line
 * `-- Breaks older programs.`, and they refuse to start.
 */
export function breaksOlder(sql: string): boolean {
  return sql.startsWith('-- Breaks older programs.');
}

export function readMigrations(folder: URL): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((name) => ({ number: Number.parseInt(name, 10), name, sql: readFileSync(new URL(name, folder), 'utf8') }));
}
