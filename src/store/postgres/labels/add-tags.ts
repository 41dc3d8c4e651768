import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { liveVersion, type VersionKey } from './live-version.ts';

/** @returns false if there is no such live version. */
export async function addTags({ db }: Postgres, version: VersionKey, tags: string[]): Promise<boolean> {
  const { rows } = await sql`
    WITH version AS (${liveVersion(version)}),
    added AS (
      INSERT INTO ${sql.table('object_tags')} (project_id, object_id, digest, tag)
      SELECT project_id, object_id, digest, tag
      FROM version, (SELECT DISTINCT tag FROM unnest(${tags}::text[]) AS tag ORDER BY tag) AS given
      ON CONFLICT (project_id, object_id, digest, tag) DO NOTHING
    )
    SELECT FROM version`.execute(db);
  return rows.length > 0;
}
