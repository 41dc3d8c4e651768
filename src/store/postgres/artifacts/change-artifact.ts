import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';
import { setAliases } from './aliases.ts';
import { type Artifact, findArtifact } from './artifact.ts';
import { addDeletedBlobs, lockBlobs } from './deleted-blobs.ts';
import { type ArtifactFile, blobsOfOnly, insertFiles } from './files.ts';

export type NewArtifact = Pick<
  Artifact,
  'id' | 'collectionId' | 'digest' | 'description' | 'metadata' | 'tags' | 'wantedAliases' | 'historyStep' | 'runId'
> & { clientId: string | null; createdBy: string };

/** Adds a pending version. @returns false if there is one of its id, or its collection has one of the client's id */
export async function addArtifact({ db }: Pick<Postgres, 'db'>, artifact: NewArtifact): Promise<boolean> {
  const rows = await db
    .insertInto('artifacts')
    .values({
      id: artifact.id,
      collection_id: artifact.collectionId,
      state: 'pending',
      version_index: null,
      digest: artifact.digest,
      client_id: artifact.clientId,
      description: artifact.description,
      metadata: artifact.metadata,
      tags: artifact.tags,
      wanted_aliases: artifact.wantedAliases,
      history_step: artifact.historyStep,
      run_id: artifact.runId,
      created_by: artifact.createdBy,
    })
    .onConflict((on) => on.doNothing())
    .returning('id')
    .execute();
  return rows.length > 0;
}

/**
 * Lists the files of a pending version, and gives it its number and its aliases. `latest` is one of them. Of a version that
 * is committed already nothing changes. Call it in a transaction.
 * @returns whether it was pending
 */
export async function commitArtifact(
  postgres: Pick<Postgres, 'db'>,
  { id, collectionId, wantedAliases }: Pick<Artifact, 'id' | 'collectionId' | 'wantedAliases'>,
  files: ArtifactFile[],
): Promise<boolean> {
  const { db } = postgres;
  // Locks the collection: its versions are committed one after another.
  const { versions } = await db
    .updateTable('artifact_collections')
    .set((set) => ({ versions: set('versions', '+', 1) }))
    .where('id', '=', collectionId)
    .returning('versions')
    .executeTakeFirstOrThrow();
  const committed = await db
    .updateTable('artifacts')
    .set({
      state: 'committed',
      version_index: versions - 1,
      size_bytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      file_count: files.length,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returning('id')
    .execute();
  if (committed.length === 0) {
    await db
      .updateTable('artifact_collections')
      .set((set) => ({ versions: set('versions', '-', 1) }))
      .where('id', '=', collectionId)
      .execute();
    return false;
  }
  await insertFiles(postgres, id, files);
  await setAliases(postgres, { id, collectionId }, [...wantedAliases, 'latest']);
  return true;
}

export type ArtifactChanges = {
  description?: string | null;
  metadata?: string | null;
  addedTags: string[];
  removedTags: string[];
};

/** @returns the version after the change; null if there is none of the id */
export function changeArtifact(
  { db }: Pick<Postgres, 'db'>,
  id: string,
  { description, metadata, addedTags, removedTags }: ArtifactChanges,
): Promise<Artifact | null> {
  return db.transaction().execute(async (transaction) => {
    // Locks the version: its tags are read and written.
    await transaction.selectFrom('artifacts').select('id').where('id', '=', id).forUpdate().execute();
    const before = await findArtifact({ db: transaction }, id);
    if (!before) return null;
    const tags = [...new Set([...before.tags, ...addedTags])].filter((tag) => !removedTags.includes(tag));
    await transaction
      .updateTable('artifacts')
      .set({
        ...(description === undefined ? {} : { description }),
        ...(metadata === undefined ? {} : { metadata }),
        tags,
        updated_at: sql`now()`,
      })
      .where('id', '=', id)
      .execute();
    return findArtifact({ db: transaction }, id);
  });
}

/**
 * Deletes versions. If one of them is the latest of its collection, the newest of the others becomes it.
 * Call it in a transaction.
 * @returns the keys of the blobs that no other version has, which are listed as deleted
 */
export async function deleteArtifacts({ db }: Pick<Postgres, 'db'>, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  await lockBlobs({ db }, await projectsOf({ db }, ids));
  const unshared = await blobsOfOnly({ db }, ids);
  const deleted = await db.deleteFrom('artifacts').where('id', 'in', ids).returning('collection_id').execute();
  for (const collectionId of new Set(deleted.map((row) => row.collection_id))) {
    await sql`
      INSERT INTO ${sql.table('artifact_aliases')} (collection_id, alias, artifact_id)
      SELECT collection_id, 'latest', id FROM ${sql.table('artifacts')}
      WHERE collection_id = ${collectionId} AND state = 'committed' ORDER BY version_index DESC LIMIT 1
      ON CONFLICT (collection_id, alias) DO NOTHING`.execute(db);
  }
  await addDeletedBlobs({ db }, unshared);
  return unshared;
}

async function projectsOf({ db }: Pick<Postgres, 'db'>, ids: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('artifacts as artifact')
    .innerJoin('artifact_collections as collection', 'collection.id', 'artifact.collection_id')
    .select('collection.project_id')
    .distinct()
    .where('artifact.id', 'in', ids)
    .execute();
  return rows.map((row) => row.project_id);
}

export async function recordUse({ db }: Pick<Postgres, 'db'>, artifactId: string, runId: string): Promise<void> {
  await db
    .insertInto('artifact_uses')
    .values({ artifact_id: artifactId, run_id: runId })
    .onConflict((on) => on.doNothing())
    .execute();
}

/** The newest runs that used an artifact. */
export async function runsThatUsed({ db }: Pick<Postgres, 'db'>, artifactId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('artifact_uses')
    .select('run_id')
    .where('artifact_id', '=', artifactId)
    .orderBy('used_at', 'desc')
    .limit(usersMax)
    .execute();
  return rows.map((row) => row.run_id);
}

const usersMax = 100;
