import { sql } from 'kysely';

/** One version by its digest. */
export type VersionKey = { projectId: string; objectId: string; digest: string };

/**
 * The version if it is live, locked against deletion until the statement is done: otherwise a label could remain at a
 * deleted version.
 */
export function liveVersion({ projectId, objectId, digest }: VersionKey) {
  return sql`SELECT project_id, object_id, digest FROM ${sql.table('object_versions')}
    WHERE project_id = ${projectId} AND object_id = ${objectId} AND digest = ${digest} AND deleted_at IS NULL
    FOR SHARE`;
}
