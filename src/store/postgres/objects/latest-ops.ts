import { type SqlBool, sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { inTexts } from './version.ts';

/** The digests of the newest live versions of ops, by object id; ids that are not ops are left out. */
export async function latestOps(
  postgres: Postgres,
  projectId: string,
  objectIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await postgres.db
    .selectFrom('object_versions as v')
    .leftJoin('object_aliases as a', (join) =>
      join
        .onRef('a.project_id', '=', 'v.project_id')
        .onRef('a.object_id', '=', 'v.object_id')
        .onRef('a.digest', '=', 'v.digest')
        .on('a.alias', '=', 'latest'),
    )
    .distinctOn('v.object_id')
    .select(['v.object_id as objectId', 'v.digest'])
    .where('v.project_id', '=', projectId)
    .where('v.kind', '=', 'op')
    .where('v.deleted_at', 'is', null)
    .where(sql<SqlBool>`v.object_id = ${inTexts(objectIds)}`)
    .orderBy('v.object_id')
    .orderBy(sql`a.digest IS NOT NULL`, 'desc')
    .orderBy('v.version_index', 'desc')
    .execute();
  return new Map(rows.map(({ objectId, digest }) => [objectId, digest]));
}
