import { type SqlBool, sql } from 'kysely';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';
import type { VersionKey } from './live-version.ts';

export async function removeAliases(
  { db }: Postgres,
  { projectId, objectId }: Omit<VersionKey, 'digest'>,
  aliases: string[],
): Promise<void> {
  await db
    .deleteFrom('object_aliases')
    .where('project_id', '=', projectId)
    .where('object_id', '=', objectId)
    .where(sql<SqlBool>`alias = ${inTexts(aliases)}`)
    .execute();
}

export async function removeTags(
  { db }: Postgres,
  { projectId, objectId, digest }: VersionKey,
  tags: string[],
): Promise<void> {
  await db
    .deleteFrom('object_tags')
    .where('project_id', '=', projectId)
    .where('object_id', '=', objectId)
    .where('digest', '=', digest)
    .where(sql<SqlBool>`tag = ${inTexts(tags)}`)
    .execute();
}
