import { type Kysely, sql, type Transaction } from 'kysely';
import type { Postgres } from '../postgres.ts';
import type { Database, ObjectKind } from '../schema.ts';
import { classOfName } from './class-of-name.ts';

export type NewVersion = {
  projectId: string;
  kind: ObjectKind;
  objectId: string;
  digest: string;
  baseClass: string | null;
  leafClass: string | null;
  sizeBytes: number;
  userId: string;
  /** The digest that `latest` must have; null for any. */
  expectedLatest?: string | null;
};

/**
 * Publishes a version, whose value is already stored, and sets `latest` to it. Content that the name had before keeps
 * its number, and becomes live again if it was deleted. Publications under one name are serialized.
 * @returns the version's number; or the class of the name's other versions, or the digest of `latest`, if it differs from
 * that of the version: then nothing is published.
 */
export async function publishVersion(
  postgres: Postgres,
  version: NewVersion,
): Promise<{ versionIndex: number } | { otherClass: string | null } | { otherLatest: string | null }> {
  return postgres.db.transaction().execute(async (transaction) => {
    const number = await lockName(transaction, version);
    const otherClass = await classOfName(transaction, version);
    if (otherClass !== undefined && otherClass !== version.baseClass) return { otherClass };
    if (version.expectedLatest != null) {
      const latest = await latestOf(transaction, version);
      if (latest !== version.expectedLatest) return { otherLatest: latest };
    }
    const renewed = await renew(transaction, version);
    if (renewed === null) await insert(transaction, version, number);
    await pointLatest(transaction, version);
    return { versionIndex: renewed ?? number };
  });
}

type Name = Pick<NewVersion, 'projectId' | 'kind' | 'objectId'>;

/** Creates the name if it is new, and locks it for this transaction. @returns how many versions it has had. */
async function lockName(db: Transaction<Database>, { projectId, kind, objectId }: Name): Promise<number> {
  const { versions } = await db
    .insertInto('object_names')
    .values({ project_id: projectId, kind, object_id: objectId })
    .onConflict((on) =>
      on.columns(['project_id', 'kind', 'object_id']).doUpdateSet({ versions: sql`object_names.versions` }),
    )
    .returning('versions')
    .executeTakeFirstOrThrow();
  return versions;
}

async function latestOf(db: Transaction<Database>, { projectId, objectId }: Name): Promise<string | null> {
  const row = await db
    .selectFrom('object_aliases')
    .select('digest')
    .where('project_id', '=', projectId)
    .where('object_id', '=', objectId)
    .where('alias', '=', 'latest')
    .executeTakeFirst();
  return row?.digest ?? null;
}

/** Publishes a version that the name had before. @returns its number; null if it is new. */
async function renew(
  db: Transaction<Database>,
  { projectId, kind, objectId, digest }: NewVersion,
): Promise<number | null> {
  const row = await db
    .updateTable('object_versions')
    .set({ created_at: sql`clock_timestamp()`, deleted_at: null })
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('object_id', '=', objectId)
    .where('digest', '=', digest)
    .returning('version_index')
    .executeTakeFirst();
  return row?.version_index ?? null;
}

async function insert(db: Transaction<Database>, version: NewVersion, number: number): Promise<void> {
  const name = { project_id: version.projectId, kind: version.kind, object_id: version.objectId };
  await db
    .insertInto('object_versions')
    .values({
      ...name,
      digest: version.digest,
      version_index: number,
      base_object_class: version.baseClass,
      leaf_object_class: version.leafClass,
      size_bytes: version.sizeBytes,
      wb_user_id: version.userId,
      first_created_at: sql`clock_timestamp()`,
      created_at: sql`clock_timestamp()`,
    })
    .execute();
  await db
    .updateTable('object_names')
    .set({ versions: number + 1 })
    .where('project_id', '=', name.project_id)
    .where('kind', '=', name.kind)
    .where('object_id', '=', name.object_id)
    .execute();
}

/** Ops and objects with one name share `latest`: it is set to the last one published. */
export async function pointLatest(
  db: Kysely<Database>,
  { projectId, objectId, digest }: { projectId: string; objectId: string; digest: string },
): Promise<void> {
  await db
    .insertInto('object_aliases')
    .values({ project_id: projectId, object_id: objectId, alias: 'latest', digest })
    .onConflict((on) => on.columns(['project_id', 'object_id', 'alias']).doUpdateSet({ digest }))
    .execute();
}
