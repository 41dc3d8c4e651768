import { type SqlBool, sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { inTexts } from './version.ts';

export type VersionName = { objectId: string; digest: string };

/** Which of these versions have ever been published, and whether they are live. Kinds are not distinguished. */
export async function findVersionsByDigest(
  postgres: Postgres,
  projectId: string,
  names: VersionName[],
): Promise<(VersionName & { isDeleted: boolean })[]> {
  if (names.length === 0) return [];
  const wanted = new Set(names.map(keyOf));
  const rows = await postgres.db
    .selectFrom('object_versions')
    .select(['object_id as objectId', 'digest', sql<boolean>`deleted_at IS NOT NULL`.as('isDeleted')])
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`object_id = ${inTexts([...new Set(names.map((name) => name.objectId))])}`)
    .where(sql<SqlBool>`digest = ${inTexts([...new Set(names.map((name) => name.digest))])}`)
    .execute();
  return rows.filter((row) => wanted.has(keyOf(row)));
}

function keyOf({ objectId, digest }: VersionName): string {
  return `${objectId}:${digest}`;
}
