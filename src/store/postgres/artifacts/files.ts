import type { Postgres } from '../postgres.ts';

export type ArtifactFile = {
  path: string;
  /** As in the manifest: MD5 in base64. */
  digest: string;
  sizeBytes: number;
  /** Null for a reference to a file that is stored elsewhere. */
  blobKey: string | null;
  /** Where that file is. */
  reference?: string | null;
};

type Database = Pick<Postgres, 'db'>;

export async function insertFiles({ db }: Database, artifactId: string, files: ArtifactFile[]): Promise<void> {
  for (let from = 0; from < files.length; from += rowsAtOnce) {
    const rows = files.slice(from, from + rowsAtOnce).map(({ path, digest, sizeBytes, blobKey, reference = null }) => ({
      artifact_id: artifactId,
      path,
      digest,
      size_bytes: sizeBytes,
      blob_key: blobKey,
      reference,
    }));
    await db.insertInto('artifact_files').values(rows).execute();
  }
}

/** A statement has at most 65,535 parameters. */
const rowsAtOnce = 1000;

/** The files of a version by path, or those of some paths. */
export async function listFiles(
  { db }: Database,
  page: { artifactId: string; paths: string[] | null; afterPath: string | null; limit: number },
): Promise<ArtifactFile[]> {
  let query = selectFiles({ db }).where('artifact_id', '=', page.artifactId);
  if (page.paths !== null) query = query.where('path', 'in', page.paths.length === 0 ? [''] : page.paths);
  if (page.afterPath !== null) query = query.where('path', '>', page.afterPath);
  return query.orderBy('path').limit(page.limit).execute();
}

export async function findFile({ db }: Database, artifactId: string, path: string): Promise<ArtifactFile | null> {
  const row = await selectFiles({ db })
    .where('artifact_id', '=', artifactId)
    .where('path', '=', path)
    .executeTakeFirst();
  return row ?? null;
}

/** Where a file is stored that a version of a collection has, by its digest. */
export async function findBlobKey(
  { db }: Database,
  { projectId, name, digest }: { projectId: string; name: string; digest: string },
): Promise<string | null> {
  const row = await db
    .selectFrom('artifact_collections as collection')
    .innerJoin('artifacts as artifact', 'artifact.collection_id', 'collection.id')
    .innerJoin('artifact_files as file', 'file.artifact_id', 'artifact.id')
    .select('file.blob_key')
    .where('collection.project_id', '=', projectId)
    .where('collection.name', '=', name)
    .where('file.digest', '=', digest)
    .where('file.blob_key', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row?.blob_key ?? null;
}

/** The blobs of some versions that no other version has. */
export async function blobsOfOnly({ db }: Database, artifactIds: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('artifact_files as file')
    .select('file.blob_key')
    .distinct()
    .where('file.artifact_id', 'in', artifactIds)
    .where('file.blob_key', 'is not', null)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('artifact_files as other')
            .select('other.path')
            .whereRef('other.blob_key', '=', 'file.blob_key')
            .where('other.artifact_id', 'not in', artifactIds),
        ),
      ),
    )
    .execute();
  return rows.map((row) => row.blob_key!);
}

function selectFiles({ db }: Database) {
  return db
    .selectFrom('artifact_files')
    .select(['path', 'digest', 'size_bytes as sizeBytes', 'blob_key as blobKey', 'reference']);
}
