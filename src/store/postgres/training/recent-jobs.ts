import { sql } from 'kysely';
import type { TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';

/** A job with the names of what it trains, for people. */
export type RecentJob = {
  id: string;
  kind: TrainingKind;
  status: TrainingStatus;
  modelId: string;
  model: string;
  /** `entity/project` */
  project: string;
  /** Optimizer steps so far. */
  steps: number;
  /** Of its trajectories; null if it has none. */
  reward: number | null;
  /** The step of the checkpoint that it made; null before its end, and for a checkpoint that is deleted. */
  checkpoint: number | null;
  /** The reason for the failure. */
  error: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  pausedAt: Date | null;
  /** Why it does not go on, where it does not by itself. */
  reason: string | null;
};

/** The newest jobs of all projects, or those whose id ends with some characters. */
export async function recentJobs(
  { db }: Postgres,
  { ending, limit }: { ending: string | null; limit: number },
): Promise<RecentJob[]> {
  let query = db
    .selectFrom('training_jobs as job')
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .innerJoin('projects as project', 'project.id', 'model.project_id')
    .innerJoin('entities as entity', 'entity.id', 'project.entity_id')
    .leftJoin('checkpoints as checkpoint', (join) =>
      join.on('checkpoint.id', '=', sql<string>`coalesce(job.checkpoint_id, job.id)`),
    )
    .leftJoin('fine_tuning_jobs as fine', 'fine.id', 'job.id')
    .leftJoin('training_events as failure', (join) =>
      join.onRef('failure.job_id', '=', 'job.id').on('failure.type', '=', 'training_failed'),
    )
    .select((select) => [
      'job.id',
      'job.kind',
      'job.status',
      'model.id as modelId',
      'model.name as model',
      'entity.name as entity',
      'project.name as project',
      'job.created_at as createdAt',
      'job.started_at as startedAt',
      'job.ended_at as endedAt',
      select.fn.coalesce('job.paused_at', 'fine.paused_at').as('pausedAt'),
      select.fn.coalesce('job.paused_reason', 'job.waiting_reason').as('reason'),
      'checkpoint.step as checkpoint',
      sql<number | null>`(job.metrics ->> 'train/reward')::double precision`.as('reward'),
      sql<string | null>`failure.data ->> 'error_message'`.as('error'),
      select
        .selectFrom('training_events as event')
        .whereRef('event.job_id', '=', 'job.id')
        .where('event.type', '=', 'gradient_step')
        .select((count) => count.fn.countAll().as('steps'))
        .as('steps'),
    ])
    .orderBy('job.id', 'desc')
    .limit(limit);
  if (ending !== null) query = query.where(sql<boolean>`right(job.id, length(${ending})) = ${ending}`);
  const rows = await query.execute();
  return rows.map(({ entity, project, steps, ...job }) => ({
    ...job,
    project: `${entity}/${project}`,
    steps: Number(steps),
  }));
}

/** The mean rewards of the jobs of a model that ended before one of its jobs was created, the oldest first. */
export async function rewardsBefore(
  { db }: Postgres,
  { modelId, id, limit }: { modelId: string; id: string; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('training_jobs')
    .select(sql<number | null>`(metrics ->> 'train/reward')::double precision`.as('reward'))
    .where('model_id', '=', modelId)
    .where('status', '=', 'ended')
    .where('id', '<', id) // ids of version 7 sort by time
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ reward }) => (reward === null ? [] : [reward])).reverse();
}
