import { sql } from 'kysely';
import type { ProjectId } from '../../../contract/ids.ts';
import type { Postgres } from '../postgres.ts';

/** A checkpoint of a model, or of a fine-tuning job on its way. */
export type TrainedCheckpoint = {
  id: string;
  step: number;
  createdAt: Date;
  model: string;
  projectId: ProjectId;
  baseModel: string;
  /** The job that made it; null for one that a client uploaded. */
  jobId: string | null;
};

/** The checkpoint with an id, in any project. */
export async function findTrainedCheckpoint({ db }: Postgres, id: string): Promise<TrainedCheckpoint | null> {
  const listed = db
    .selectFrom('checkpoints as checkpoint')
    .innerJoin('trained_models as model', 'model.id', 'checkpoint.model_id')
    .where('checkpoint.id', '=', id)
    .select((select) => [
      'checkpoint.id',
      'checkpoint.step',
      'checkpoint.created_at as createdAt',
      'model.name as model',
      'model.project_id as projectId',
      'model.base_model as baseModel',
      select.fn
        .coalesce(
          select
            .selectFrom('training_jobs as job')
            .whereRef('job.model_id', '=', 'checkpoint.model_id')
            .whereRef('job.checkpoint_id', '=', 'checkpoint.id')
            .select('job.id')
            .limit(1),
          select
            .selectFrom('tinker_checkpoints as saved')
            .innerJoin('tinker_runs as run', 'run.id', 'saved.run_id')
            .whereRef('saved.checkpoint_id', '=', 'checkpoint.id')
            .select('run.job_id')
            .limit(1),
        )
        .as('jobId'),
    ]);
  const found = await listed.executeTakeFirst();
  if (found) return found as TrainedCheckpoint;
  const onTheWay = await db
    .selectFrom('fine_tuning_checkpoints as checkpoint')
    .innerJoin('training_jobs as job', 'job.id', 'checkpoint.job_id')
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .where('checkpoint.id', '=', id)
    .select([
      'checkpoint.id',
      'checkpoint.step',
      'checkpoint.created_at as createdAt',
      'model.name as model',
      'model.project_id as projectId',
      'model.base_model as baseModel',
      'job.id as jobId',
    ])
    .executeTakeFirst();
  return (onTheWay as TrainedCheckpoint | undefined) ?? null;
}

/** The checkpoint that the job of another one continued from: the model it was given, or else the step before; null for the base model. */
export async function checkpointBefore({ db }: Postgres, { id, jobId }: TrainedCheckpoint): Promise<string | null> {
  if (jobId !== null) {
    const given = await db
      .selectFrom('fine_tuning_jobs')
      .where('id', '=', jobId)
      .select('start_checkpoint_id as start')
      .executeTakeFirst();
    if (given) return given.start;
  }
  const before = await db
    .selectFrom('checkpoints as earlier')
    .innerJoin('checkpoints as later', 'later.model_id', 'earlier.model_id')
    .where('later.id', '=', id)
    .where(sql<boolean>`earlier.step < later.step`)
    .select('earlier.id')
    .orderBy('earlier.step', 'desc')
    .limit(1)
    .executeTakeFirst();
  return before?.id ?? null;
}
