import { Kysely, PGliteDialect } from 'kysely';
import type { Disk } from '../../disk/disk.ts';
import type { Postgres } from '../postgres.ts';
import { refusalOf, throwRefusals } from '../refusals.ts';
import type { Database } from '../schema.ts';
import { openCheckpoints } from './checkpoints.ts';
import { type LastingOptions, type LastingPglite, openLastingPglite } from './lasting-pglite.ts';
import { refuseWhenFull } from './refuse-when-full.ts';

/** What is told of the engine, and the disk it is on. */
export type EmbeddedPostgresOptions = Pick<LastingOptions, 'onStopped' | 'onReopened'> & {
  /** If given, writes are rejected while the disk is short. */
  disk?: Disk;
};

/** Opens PGlite (embedded PostgreSQL) on a directory. @throws StoreUnusableError */
export async function openEmbeddedPostgres(
  directory: string,
  { disk, ...events }: EmbeddedPostgresOptions = {},
): Promise<Postgres> {
  const pglite = await openLastingPglite(directory, {
    ...events,
    beforeReopening: disk?.releaseBallast,
    explain: disk?.explain,
  });
  const db = new Kysely<Database>({
    dialect: new PGliteDialect({
      pglite: pglite as never, // it uses only what a `LastingPglite` has
      onCreateConnection: async (connection) => throwRefusals(connection),
    }),
    plugins: disk ? [refuseWhenFull(disk)] : [],
  });
  const checkpoints = openCheckpoints(pglite);
  return {
    db,
    afterCommit: (_transaction, work) => work(), // the one connection answers it after the transaction
    changeSchema: (work) =>
      work(async (script) => {
        await pglite.exec(script);
      }),
    async executeSql(sql, values = []) {
      if (values.length > 0) {
        return await pglite.query(sql, values).catch((error) => {
          throw refusalOf(error); // data of jobs is what clients sent
        });
      }
      const run = async (connection: Pick<LastingPglite, 'exec'>) => ({
        rows: (await connection.exec(sql)).flatMap((result) => result.rows),
      });
      // All share one connection: a script that fails in its own transaction must be rolled back before others go on.
      return await (/^\s*BEGIN\b/.test(sql) ? pglite.transaction(run) : run(pglite));
    },
    schema: 'public',
    jobs: { schema: 'pgboss', createSchema: true, backend: 'pglite' },
    async close() {
      await checkpoints.close();
      await db.destroy();
      await pglite.close();
    },
  };
}
