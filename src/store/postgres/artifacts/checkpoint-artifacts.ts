import type { Postgres } from '../postgres.ts';
import { addArtifact, commitArtifact } from './change-artifact.ts';
import { ensureCollection } from './collections.ts';
import type { ArtifactFile } from './files.ts';

/** What the artifact of a checkpoint contains. */
export type CheckpointContent = { digest: string; files: ArtifactFile[] };

/**
 * Lists a checkpoint as a version of the artifact with its model's name, under the checkpoint's id. Call it in the
 * transaction that lists the checkpoint.
 */
export async function addCheckpointArtifact(
  postgres: Pick<Postgres, 'db'>,
  checkpoint: { id: string; modelId: string; step: number; createdBy: string },
  { digest, files }: CheckpointContent,
): Promise<void> {
  const model = await postgres.db
    .selectFrom('trained_models')
    .select((select) => [select.ref('project_id').$castTo<never>().as('projectId'), 'name', 'base_model'])
    .where('id', '=', checkpoint.modelId)
    .executeTakeFirstOrThrow();
  const collection = await ensureCollection(postgres, { ...model, type: 'lora' });
  const artifact = { id: checkpoint.id, collectionId: collection.id, wantedAliases: [`step${checkpoint.step}`] };
  await addArtifact(postgres, {
    ...artifact,
    digest,
    description: null,
    metadata: JSON.stringify({ 'wandb.base_model': model.base_model, training_step: checkpoint.step }),
    tags: [],
    historyStep: null,
    runId: null,
    clientId: null,
    createdBy: checkpoint.createdBy,
  });
  await commitArtifact(postgres, artifact, files);
}

/** A checkpoint that is not listed as an artifact. */
export type UnlistedCheckpoint = { id: string; modelId: string; projectId: string; step: number; createdBy: string };

/** Checkpoints of models that were trained before artifacts were supported. */
export async function unlistedCheckpoints({ db }: Postgres): Promise<UnlistedCheckpoint[]> {
  return db
    .selectFrom('checkpoints as checkpoint')
    .innerJoin('trained_models as model', 'model.id', 'checkpoint.model_id')
    .leftJoin('artifacts as artifact', 'artifact.id', 'checkpoint.id')
    .select(['checkpoint.id', 'model.id as modelId', 'model.project_id as projectId', 'checkpoint.step'])
    .select('model.created_by as createdBy')
    .where('artifact.id', 'is', null)
    .orderBy('model.id')
    .orderBy('checkpoint.step')
    .execute();
}

/** Deletes the collection of a name if it has no versions left, so that a new model of the name counts from v0. */
export async function deleteEmptyCollection(
  { db }: Pick<Postgres, 'db'>,
  { projectId, name }: { projectId: string; name: string },
): Promise<void> {
  const collection = await db
    .selectFrom('artifact_collections')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .forUpdate() // a version that is added meanwhile would be deleted with it
    .executeTakeFirst();
  if (!collection) return;
  await db
    .deleteFrom('artifact_collections')
    .where('id', '=', collection.id)
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('artifacts')
            .select('artifacts.id')
            .whereRef('artifacts.collection_id', '=', 'artifact_collections.id'),
        ),
      ),
    )
    .execute();
}
