import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { inTexts } from './version.ts';

export type VersionOfValue = { objectId: string; digest: string; versionIndex: number; isLatest: boolean };

const versionsMax = 100;

/** The live versions of datasets with these values, the newest first. */
export async function findVersionsOfValues(
  { db }: Postgres,
  projectId: string,
  digests: string[],
): Promise<VersionOfValue[]> {
  if (digests.length === 0) return [];
  const { rows } = await sql<VersionOfValue>`
    SELECT v.object_id AS "objectId", v.digest, v.version_index AS "versionIndex", a.digest IS NOT NULL AS "isLatest"
    FROM ${sql.table('object_versions')} v
    LEFT JOIN ${sql.table('object_aliases')} a
      ON a.project_id = v.project_id AND a.object_id = v.object_id AND a.alias = 'latest' AND a.digest = v.digest
    WHERE v.project_id = ${projectId} AND v.kind = 'object' AND v.base_object_class = 'Dataset'
      AND v.deleted_at IS NULL AND v.digest = ${inTexts(digests)}
    ORDER BY v.created_at DESC LIMIT ${versionsMax}`.execute(db);
  return rows;
}
