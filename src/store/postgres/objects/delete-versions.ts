import { sql, type Transaction } from 'kysely';
import { parseVersionWord } from '../../../domain/objects/version-word.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import type { SoughtName } from './find-version.ts';
import { pointLatest } from './publish-version.ts';
import { inTexts, type ObjectVersion, versionsOf } from './version.ts';

/**
 * Deletes live versions, identified by digest, index or `latest`; `null` means all. Their numbers stay used; their tags
 * and aliases are deleted. If an identifier matches no distinct version, nothing is deleted.
 */
export async function deleteVersions(
  postgres: Postgres,
  name: SoughtName,
  words: string[] | null,
): Promise<{ found: ObjectVersion[]; isDeleted: boolean }> {
  return postgres.db.transaction().execute(async (transaction) => {
    await lockNames(transaction, name);
    const live = await liveVersions(transaction, name);
    const found = words === null ? live : live.filter((version) => words.some((word) => isNamed(version, word, live)));
    const isComplete = words === null || new Set(words).size === found.length;
    if (!isComplete || found.length === 0) return { found, isDeleted: false };
    await markDeleted(transaction, name, found);
    await restoreLatest(transaction, name);
    return { found, isDeleted: true };
  });
}

/** In a fixed order, so that two deletions never deadlock. */
async function lockNames(db: Transaction<Database>, { projectId, objectId }: SoughtName): Promise<void> {
  await db
    .selectFrom('object_names')
    .select('kind')
    .where('project_id', '=', projectId)
    .where('object_id', '=', objectId)
    .orderBy('kind')
    .forUpdate()
    .execute();
}

function liveVersions(db: Transaction<Database>, { projectId, objectId, kind }: SoughtName): Promise<ObjectVersion[]> {
  const named = versionsOf(db, projectId).where('v.object_id', '=', objectId);
  return (kind === undefined ? named : named.where('v.kind', '=', kind))
    .where('v.deleted_at', 'is', null)
    .orderBy('v.first_created_at')
    .orderBy('v.version_index')
    .execute();
}

function isNamed(version: ObjectVersion, text: string, live: ObjectVersion[]): boolean {
  if (text === 'latest') return version.isLatest;
  const word = parseVersionWord(text);
  if (word.kind !== 'index') return version.digest === text;
  return version === live.find(({ versionIndex }) => versionIndex === word.index); // an op and an object may share it
}

async function markDeleted(db: Transaction<Database>, name: SoughtName, versions: ObjectVersion[]): Promise<void> {
  const digests = inTexts(versions.map((version) => version.digest));
  const { projectId, objectId, kind } = name;
  const where = sql`project_id = ${projectId} AND object_id = ${objectId} AND digest = ${digests}`;
  const ofKind = kind === undefined ? sql`` : sql`AND kind = ${kind}`;
  await sql`UPDATE ${sql.table('object_versions')} SET deleted_at = clock_timestamp() WHERE ${where} AND deleted_at IS NULL ${ofKind}`.execute(
    db,
  );
  await sql`DELETE FROM ${sql.table('object_aliases')} WHERE ${where}`.execute(db);
  await sql`DELETE FROM ${sql.table('object_tags')} WHERE ${where}`.execute(db);
}

/** If `latest` was deleted with its version, it moves to the newest live version. */
async function restoreLatest(db: Transaction<Database>, name: SoughtName): Promise<void> {
  const { projectId, objectId } = name;
  const live = await liveVersions(db, { projectId, objectId });
  const newest = live.at(-1);
  if (newest && !live.some((version) => version.isLatest)) await pointLatest(db, { ...name, digest: newest.digest });
}
