import type { ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';
import type { ArtifactState } from '../schema.ts';

/** A version of a collection; one that is pending has no number yet. */
export type Artifact = {
  id: string;
  projectId: ProjectId;
  collectionId: string;
  /** The name of its collection. */
  name: string;
  type: string;
  state: ArtifactState;
  versionIndex: number | null;
  digest: string;
  description: string | null;
  /** A JSON object, as it was sent. */
  metadata: string | null;
  tags: string[];
  aliases: string[];
  wantedAliases: string[];
  historyStep: number | null;
  sizeBytes: number;
  fileCount: number;
  runId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

type Database = Pick<Postgres, 'db'>;

export function selectArtifacts({ db }: Database) {
  return db
    .selectFrom('artifacts as artifact')
    .innerJoin('artifact_collections as collection', 'collection.id', 'artifact.collection_id')
    .select((select) => [
      'artifact.id',
      select.ref('collection.project_id').$castTo<ProjectId>().as('projectId'),
      'artifact.collection_id as collectionId',
      'collection.name',
      'collection.type',
      'artifact.state',
      'artifact.version_index as versionIndex',
      'artifact.digest',
      'artifact.description',
      'artifact.metadata',
      'artifact.tags',
      'artifact.wanted_aliases as wantedAliases',
      'artifact.history_step as historyStep',
      'artifact.size_bytes as sizeBytes',
      'artifact.file_count as fileCount',
      'artifact.run_id as runId',
      'artifact.created_at as createdAt',
      'artifact.updated_at as updatedAt',
      select.fn
        .coalesce(
          select
            .selectFrom('artifact_aliases as alias')
            .whereRef('alias.artifact_id', '=', 'artifact.id')
            .select(({ fn }) => fn.agg<string[]>('array_agg', ['alias.alias']).orderBy('alias.alias').as('aliases')),
          select.val<string[]>([]),
        )
        .as('aliases'),
    ]);
}

export async function findArtifact(postgres: Database, id: string): Promise<Artifact | null> {
  const row = await selectArtifacts(postgres).where('artifact.id', '=', id).executeTakeFirst();
  return row ? asArtifact(row) : null;
}

/** Kysely does not know the type of an array that the store computes. */
export function asArtifact(row: Omit<Artifact, 'aliases'> & { aliases: unknown }): Artifact {
  return row as Artifact;
}
