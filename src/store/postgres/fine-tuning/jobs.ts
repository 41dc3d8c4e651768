import { type SqlBool, sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { FineTuning, FineTuningJob } from '../../../domain/fine-tuning/job.ts';
import type { Postgres } from '../postgres.ts';

/** Selects jobs by metadata; null: those without. */
export type MetadataFilter = Record<string, string> | null;

export async function addFineTuning({ db }: Pick<Postgres, 'db'>, job: FineTuning): Promise<void> {
  await db
    .insertInto('fine_tuning_jobs')
    .values({
      id: job.id,
      project_id: job.projectId,
      model: job.model,
      fine_tuned_model: job.fineTunedModel,
      start_project_id: job.startProjectId,
      start_checkpoint_id: job.startCheckpointId,
      training_file_id: job.trainingFileId,
      validation_file_id: job.validationFileId,
      method: JSON.stringify(job.method),
      seed: job.seed,
      metadata: job.metadata && JSON.stringify(job.metadata),
    })
    .execute();
}

export async function findFineTuningJob(
  { db }: Pick<Postgres, 'db'>,
  where: { id: string; projectId?: ProjectId } | { fineTunedModel: string },
): Promise<FineTuningJob | null> {
  let query = selectJobs({ db });
  if ('fineTunedModel' in where) query = query.where('fine.fine_tuned_model', '=', where.fineTunedModel);
  else {
    query = query.where('fine.id', '=', where.id);
    if (where.projectId !== undefined) query = query.where('fine.project_id', '=', where.projectId);
  }
  return ((await query.executeTakeFirst()) as FineTuningJob | undefined) ?? null;
}

/** The jobs of a project, newest first, at most `limit` of those before one of them. */
export async function listFineTuningJobs(
  { db }: Pick<Postgres, 'db'>,
  page: { projectId: ProjectId; after: string | null; limit: number; metadata?: MetadataFilter },
): Promise<FineTuningJob[]> {
  let query = selectJobs({ db }).where('fine.project_id', '=', page.projectId);
  if (page.after !== null) query = query.where('fine.id', '<', page.after); // ids of version 7 sort by time
  if (page.metadata === null) query = query.where('fine.metadata', 'is', null);
  else if (page.metadata !== undefined) {
    query = query.where(sql<SqlBool>`fine.metadata @> ${JSON.stringify(page.metadata)}::jsonb`);
  }
  return (await query.orderBy('fine.id', 'desc').limit(page.limit).execute()) as FineTuningJob[];
}

/** The models of a project that jobs have made and that are not deleted, newest first. */
export async function listFineTunedModels(
  { db }: Pick<Postgres, 'db'>,
  projectId: ProjectId,
  limit: number,
): Promise<FineTuningJob[]> {
  const rows = await selectJobs({ db })
    .where('fine.project_id', '=', projectId)
    .where('job.status', '=', 'ended')
    .where('fine.model_deleted_at', 'is', null)
    .orderBy('fine.id', 'desc')
    .limit(limit)
    .execute();
  return rows as FineTuningJob[];
}

type Mark = 'canceled_at' | 'model_deleted_at';

/** @returns whether the mark was not set yet */
export async function markFineTuning({ db }: Pick<Postgres, 'db'>, id: string, mark: Mark): Promise<boolean> {
  const row = await db
    .updateTable('fine_tuning_jobs')
    .set({ [mark]: new Date() })
    .where('id', '=', id)
    .where(mark, 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** What is known with the end of a job. Call it in the transaction that ends it. */
export async function completeFineTuning(
  { db }: Pick<Postgres, 'db'>,
  { id, resultFileId, trainedTokens }: { id: string; resultFileId: string; trainedTokens: number },
): Promise<void> {
  await db
    .updateTable('fine_tuning_jobs')
    .set({ result_file_id: resultFileId, trained_tokens: trainedTokens })
    .where('id', '=', id)
    .execute();
}

function selectJobs({ db }: Pick<Postgres, 'db'>) {
  return db
    .selectFrom('fine_tuning_jobs as fine')
    .innerJoin('training_jobs as job', 'job.id', 'fine.id')
    .leftJoin('training_events as started', (join) =>
      join.onRef('started.job_id', '=', 'fine.id').on('started.type', '=', 'training_started'),
    )
    .leftJoin('training_events as failure', (join) =>
      join.onRef('failure.job_id', '=', 'fine.id').on('failure.type', '=', 'training_failed'),
    )
    .select((select) => [
      'fine.id',
      'fine.project_id as projectId',
      'fine.model',
      'fine.fine_tuned_model as fineTunedModel',
      'fine.start_project_id as startProjectId',
      'fine.start_checkpoint_id as startCheckpointId',
      'fine.training_file_id as trainingFileId',
      'fine.validation_file_id as validationFileId',
      'fine.method',
      'fine.seed',
      'fine.metadata',
      'fine.paused_at as pausedAt',
      'job.paused_reason as pausedReason',
      'fine.canceled_at as canceledAt',
      'fine.result_file_id as resultFileId',
      'fine.trained_tokens as trainedTokens',
      'fine.model_deleted_at as modelDeletedAt',
      'job.model_id as modelId',
      'job.status',
      sql<string>`coalesce(job.checkpoint_id, job.id)`.as('checkpointId'),
      'job.created_at as createdAt',
      'job.started_at as startedAt',
      'job.ended_at as endedAt',
      'failure.data as failure',
      sql<number | null>`(started.data ->> 'num_sequences')::integer`.as('stepsTotal'),
      select
        .selectFrom('training_events as event')
        .whereRef('event.job_id', '=', 'fine.id')
        .where('event.type', '=', 'gradient_step')
        .where('job.status', '=', 'running') // each request to a fine-tuned model reads its job
        .select((count) => sql<number>`${count.fn.countAll()}::integer`.as('steps'))
        .as('steps'),
    ]);
}
