import type { ProjectId } from '../../../contract/ids.ts';
import { notFound } from '../../../util/failures.ts';
import { deleteArtifacts } from '../artifacts/change-artifact.ts';
import { deleteEmptyCollection } from '../artifacts/checkpoint-artifacts.ts';
import type { Postgres } from '../postgres.ts';

/** A series of adapters over a base model. */
export type TrainedModel = {
  id: string;
  projectId: ProjectId;
  name: string;
  baseModel: string;
};

type NewModel = TrainedModel & { createdBy: string };

/** Creates a model, unless its project has one of this name. @returns the model of this name */
export async function createModel(
  { db }: Pick<Postgres, 'db'>,
  { projectId, name, ...model }: NewModel,
): Promise<TrainedModel> {
  await db
    .insertInto('trained_models')
    .values({ id: model.id, project_id: projectId, name, base_model: model.baseModel, created_by: model.createdBy })
    .onConflict((on) => on.columns(['project_id', 'name']).doNothing())
    .execute();
  const row = await selectModels({ db })
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row as TrainedModel;
}

export async function findModel({ db }: Postgres, id: string): Promise<TrainedModel | null> {
  const row = await selectModels({ db }).where('id', '=', id).executeTakeFirst();
  return (row as TrainedModel | undefined) ?? null;
}

/** The step of the checkpoint that the next job of a model makes. */
export async function nextStepOf({ db }: Postgres, id: string): Promise<number> {
  const row = await db.selectFrom('trained_models').select('last_step').where('id', '=', id).executeTakeFirst();
  return (row?.last_step ?? 0) + 1;
}

export async function findModelByName(
  { db }: Postgres,
  projectId: ProjectId,
  name: string,
): Promise<TrainedModel | null> {
  const row = await selectModels({ db })
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return (row as TrainedModel | undefined) ?? null;
}

/** The models of a project by age, at most `limit` of those after one of them. */
export async function listModels(
  { db }: Postgres,
  page: { projectId: ProjectId; name: string | null; after: string | null; limit: number },
): Promise<TrainedModel[]> {
  let query = selectModels({ db }).where('project_id', '=', page.projectId);
  if (page.name !== null) query = query.where('name', '=', page.name);
  if (page.after !== null) query = query.where('id', '>', page.after); // ids of version 7 sort by time
  return (await query.orderBy('id').limit(page.limit).execute()) as TrainedModel[];
}

/** Deletes a model with its jobs, events, checkpoints and their artifacts. @returns the ids of its jobs and checkpoints, and the blobs of the artifacts; null if there is none */
export function deleteModel(
  { db }: Postgres,
  id: string,
): Promise<{ jobIds: string[]; checkpointIds: string[]; blobKeys: string[] } | null> {
  return db.transaction().execute(async (transaction) => {
    const ids = async (table: 'training_jobs' | 'checkpoints') => {
      const rows = await transaction.selectFrom(table).select('id').where('model_id', '=', id).execute();
      return rows.map((row) => row.id);
    };
    const locked = await transaction
      .selectFrom('trained_models')
      .select(['id', 'project_id as projectId', 'name'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (!locked) return null;
    const onTheWay = await transaction
      .selectFrom('fine_tuning_checkpoints as checkpoint')
      .innerJoin('training_jobs as job', 'job.id', 'checkpoint.job_id')
      .select('checkpoint.id')
      .where('job.model_id', '=', id)
      .execute();
    const checkpointIds = new Set([...(await ids('checkpoints')), ...onTheWay.map((row) => row.id)]);
    const deleted = { jobIds: await ids('training_jobs'), checkpointIds: [...checkpointIds] };
    await transaction.deleteFrom('trained_models').where('id', '=', id).execute();
    const blobKeys = await deleteArtifacts({ db: transaction }, deleted.checkpointIds);
    await deleteEmptyCollection({ db: transaction }, locked);
    return { ...deleted, blobKeys };
  });
}

/** Adds metrics to the model's latest checkpoint; before the first one, to the model. */
export function addMetrics({ db }: Postgres, modelId: string, metrics: Record<string, number>): Promise<void> {
  return db.transaction().execute(async (transaction) => {
    const model = await transaction
      .selectFrom('trained_models')
      .select(['id', 'metrics'])
      .where('id', '=', modelId)
      .forUpdate()
      .executeTakeFirst();
    if (!model) throw notFound('Model not found');
    const latest = await transaction
      .selectFrom('checkpoints')
      .select(['id', 'metrics'])
      .where('model_id', '=', modelId)
      .orderBy('step', 'desc')
      .limit(1)
      .executeTakeFirst();
    const { id, metrics: before } = latest ?? model;
    await transaction
      .updateTable(latest ? 'checkpoints' : 'trained_models')
      .set({ metrics: JSON.stringify({ ...before, ...metrics }) })
      .where('id', '=', id)
      .execute();
  });
}

function selectModels({ db }: Pick<Postgres, 'db'>) {
  return db.selectFrom('trained_models').select(['id', 'project_id as projectId', 'name', 'base_model as baseModel']);
}
