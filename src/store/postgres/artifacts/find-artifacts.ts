import type { ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';
import { type Artifact, asArtifact, selectArtifacts } from './artifact.ts';

type Version = { projectId: ProjectId; name: string; version: string };

/** The version of a collection for an alias or a number such as `v3`. */
export async function findVersion(
  postgres: Pick<Postgres, 'db'>,
  { projectId, name, version }: Version,
): Promise<Artifact | null> {
  const of = selectArtifacts(postgres)
    .where('collection.project_id', '=', projectId)
    .where('collection.name', '=', name)
    .where('artifact.state', '=', 'committed');
  const [, digits] = /^v(\d{1,9})$/.exec(version) ?? [];
  const found =
    digits === undefined
      ? of
          .innerJoin('artifact_aliases as named', 'named.artifact_id', 'artifact.id')
          .where('named.alias', '=', version)
          .select('named.alias')
      : of.where('artifact.version_index', '=', Number(digits));
  const row = await found.executeTakeFirst();
  return row ? asArtifact(row) : null;
}

export type ArtifactPage = { afterIndex: number | null; limit: number };

/** The committed versions of a collection, the newest first. */
export async function listVersions(
  postgres: Pick<Postgres, 'db'>,
  collectionId: string,
  { afterIndex, limit }: ArtifactPage,
): Promise<Artifact[]> {
  let query = selectArtifacts(postgres)
    .where('artifact.collection_id', '=', collectionId)
    .where('artifact.state', '=', 'committed');
  if (afterIndex !== null) query = query.where('artifact.version_index', '<', afterIndex);
  return (await query.orderBy('artifact.version_index', 'desc').limit(limit).execute()).map(asArtifact);
}

export async function countVersions({ db }: Pick<Postgres, 'db'>, collectionId: string): Promise<number> {
  const { count } = await db
    .selectFrom('artifacts')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('collection_id', '=', collectionId)
    .where('state', '=', 'committed')
    .executeTakeFirstOrThrow();
  return count;
}

/** The newest committed version of a collection that has a digest. */
export async function findByDigest(
  postgres: Pick<Postgres, 'db'>,
  collectionId: string,
  digest: string,
): Promise<Artifact | null> {
  const row = await selectArtifacts(postgres)
    .where('artifact.collection_id', '=', collectionId)
    .where('artifact.state', '=', 'committed')
    .where('artifact.digest', '=', digest)
    .orderBy('artifact.version_index', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? asArtifact(row) : null;
}

/** The artifacts to which clients gave an id: at most one of each collection. */
export async function findByClientId(postgres: Pick<Postgres, 'db'>, clientId: string): Promise<Artifact[]> {
  return (await selectArtifacts(postgres).where('artifact.client_id', '=', clientId).limit(100).execute()).map(
    asArtifact,
  );
}

/** The artifacts that a run logged or used, by age. */
export async function artifactsOfRun(
  postgres: Pick<Postgres, 'db'>,
  runId: string,
  how: 'logged' | 'used',
): Promise<Artifact[]> {
  let query = selectArtifacts(postgres).where('artifact.state', '=', 'committed');
  if (how === 'logged') query = query.where('artifact.run_id', '=', runId);
  else {
    query = query.where((where) =>
      where.exists(
        where
          .selectFrom('artifact_uses as use')
          .select('use.run_id')
          .whereRef('use.artifact_id', '=', 'artifact.id')
          .where('use.run_id', '=', runId),
      ),
    );
  }
  return (await query.orderBy('artifact.id').limit(runArtifactsMax).execute()).map(asArtifact);
}

const runArtifactsMax = 1000;
