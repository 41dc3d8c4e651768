import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { liveVersion, type VersionKey } from './live-version.ts';

/** Lets aliases stand at a version, in one statement. @returns false where no such version lives. */
export async function setAliases({ db }: Postgres, version: VersionKey, aliases: string[]): Promise<boolean> {
  // In one order, so that two requests never wait for each other.
  const { rows } = await sql`
    WITH version AS (${liveVersion(version)}),
    moved AS (
      INSERT INTO object_aliases (project_id, object_id, alias, digest)
      SELECT project_id, object_id, alias, digest
      FROM version, (SELECT DISTINCT alias FROM unnest(${aliases}::text[]) AS alias ORDER BY alias) AS given
      ON CONFLICT (project_id, object_id, alias) DO UPDATE SET digest = excluded.digest
    )
    SELECT FROM version`.execute(db);
  return rows.length > 0;
}
