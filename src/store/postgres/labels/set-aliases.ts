import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { liveVersion, type VersionKey } from './live-version.ts';

/** Sets aliases to a version, in one statement. @returns false if there is no such live version. */
export async function setAliases({ db }: Postgres, version: VersionKey, aliases: string[]): Promise<boolean> {
  // In a fixed order, so that two requests never deadlock.
  const { rows } = await sql`
    WITH version AS (${liveVersion(version)}),
    moved AS (
      INSERT INTO ${sql.table('object_aliases')} (project_id, object_id, alias, digest)
      SELECT project_id, object_id, alias, digest
      FROM version, (SELECT DISTINCT alias FROM unnest(${aliases}::text[]) AS alias ORDER BY alias) AS given
      ON CONFLICT (project_id, object_id, alias) DO UPDATE SET digest = excluded.digest
    )
    SELECT FROM version`.execute(db);
  return rows.length > 0;
}
