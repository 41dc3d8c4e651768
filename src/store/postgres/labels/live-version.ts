import { sql } from 'kysely';

/** One version by its digest. */
export type VersionKey = { projectId: string; objectId: string; digest: string };

/**
 * The version where it lives, kept from being deleted until the statement is done: else a label could be left standing
 * at a version that is gone.
 */
export function liveVersion({ projectId, objectId, digest }: VersionKey) {
  return sql`SELECT project_id, object_id, digest FROM object_versions
    WHERE project_id = ${projectId} AND object_id = ${objectId} AND digest = ${digest} AND deleted_at IS NULL
    FOR SHARE`;
}
