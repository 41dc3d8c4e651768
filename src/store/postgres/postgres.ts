import { Kysely, PGliteDialect } from 'kysely';
import type { Disk } from '../disk/disk.ts';
import { openCheckpoints } from './checkpoints.ts';
import { type LastingOptions, openLastingPglite } from './lasting-pglite.ts';
import { refuseBadValues } from './refuse-bad-values.ts';
import { refuseWhenFull } from './refuse-when-full.ts';
import type { Database } from './schema.ts';

/** The store of data that changes, must be unique, or is ordered. */
export type Postgres = {
  db: Kysely<Database>;
  /** Runs a script of several statements, without parameters. */
  script(sql: string): Promise<void>;
  close(): Promise<void>;
};

type Options = Pick<LastingOptions, 'onStopped' | 'onReopened'> & {
  /** If given, writes are rejected while the disk is short. */
  disk?: Disk;
};

/** Opens PGlite (embedded PostgreSQL) on a directory. @throws StoreUnusableError */
export async function openPglite(directory: string, { disk, ...events }: Options = {}): Promise<Postgres> {
  const pglite = await openLastingPglite(directory, {
    ...events,
    beforeReopening: disk?.releaseBallast,
    explain: disk?.explain,
  });
  const db = new Kysely<Database>({
    dialect: new PGliteDialect({
      pglite: pglite as never, // it uses only what a `LastingPglite` has
      onCreateConnection: async (connection) => refuseBadValues(connection),
    }),
    plugins: disk ? [refuseWhenFull(disk)] : [],
  });
  const checkpoints = openCheckpoints(pglite);
  return {
    db,
    async script(sql) {
      await pglite.exec(sql);
    },
    async close() {
      await checkpoints.close();
      await db.destroy();
      await pglite.close();
    },
  };
}
