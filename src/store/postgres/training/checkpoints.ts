import type { TrainingKind } from '../../../domain/training/job.ts';
import { deleteArtifacts } from '../artifacts/change-artifact.ts';
import type { Postgres } from '../postgres.ts';

export type Checkpoint = {
  id: string;
  step: number;
  kind: TrainingKind;
  metrics: Record<string, number>;
};

export type CheckpointPage = {
  modelId: string;
  order: 'asc' | 'desc';
  /** The step of the last checkpoint already seen. */
  afterStep: number | null;
  limit: number;
};

export async function listCheckpoints({ db }: Postgres, page: CheckpointPage): Promise<Checkpoint[]> {
  let query = selectCheckpoints({ db }).where('model_id', '=', page.modelId);
  if (page.afterStep !== null) query = query.where('step', page.order === 'asc' ? '>' : '<', page.afterStep);
  return query.orderBy('step', page.order).limit(page.limit).execute();
}

export async function findCheckpoint(
  { db }: Postgres,
  modelId: string,
  where: { id: string } | { step: number } | 'latest',
): Promise<Checkpoint | null> {
  let query = selectCheckpoints({ db }).where('model_id', '=', modelId);
  if (where === 'latest') query = query.orderBy('step', 'desc').limit(1);
  else if ('id' in where) query = query.where('id', '=', where.id);
  else query = query.where('step', '=', where.step);
  return (await query.executeTakeFirst()) ?? null;
}

/** The step that the next checkpoint of a model has, as long as only one job trains it. */
export async function nextStep({ db }: Pick<Postgres, 'db'>, modelId: string): Promise<number> {
  const row = await db.selectFrom('trained_models').select('last_step').where('id', '=', modelId).executeTakeFirst();
  return (row?.last_step ?? 0) + 1;
}

/** Deletes the checkpoints of these steps with their artifacts. @returns what was there, and the blobs of the artifacts */
export async function deleteCheckpoints(
  { db }: Postgres,
  modelId: string,
  steps: number[],
): Promise<{ checkpoints: { id: string; step: number }[]; blobKeys: string[] }> {
  if (steps.length === 0) return { checkpoints: [], blobKeys: [] };
  return db.transaction().execute(async (transaction) => {
    const checkpoints = await transaction
      .deleteFrom('checkpoints')
      .where('model_id', '=', modelId)
      .where('step', 'in', steps)
      .returning(['id', 'step'])
      .execute();
    const ids = checkpoints.map(({ id }) => id);
    return { checkpoints, blobKeys: await deleteArtifacts({ db: transaction }, ids) };
  });
}

/** The step of a checkpoint; null if there is none of the id. */
export async function stepOfCheckpoint({ db }: Pick<Postgres, 'db'>, id: string): Promise<number | null> {
  const row = await db.selectFrom('checkpoints').select('step').where('id', '=', id).executeTakeFirst();
  return row?.step ?? null;
}

/** Those of some ids that are checkpoints of models or of fine-tuning jobs. */
export async function listedCheckpoints({ db }: Pick<Postgres, 'db'>, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('checkpoints')
    .select('id')
    .where('id', 'in', ids)
    .union(db.selectFrom('fine_tuning_checkpoints').select('id').where('id', 'in', ids))
    .execute();
  return new Set(rows.map(({ id }) => id));
}

function selectCheckpoints({ db }: Pick<Postgres, 'db'>) {
  return db.selectFrom('checkpoints').select(['id', 'step', 'kind', 'metrics']);
}
