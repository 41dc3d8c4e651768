import type { TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
import type { TrainedCall } from '../../../domain/training/trained-call.ts';
import type { Postgres } from '../postgres.ts';

export type JobInLineage = {
  id: string;
  kind: TrainingKind;
  status: TrainingStatus;
  pausedAt: Date | null;
  /** The id of the user. */
  createdBy: string;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** How many calls it was made from, and how many of them it trains on and validates with. */
  calls: { total: number; train: number; validation: number };
};

export async function findJobInLineage({ db }: Postgres, id: string): Promise<JobInLineage | null> {
  const job = await db
    .selectFrom('training_jobs as job')
    .leftJoin('fine_tuning_jobs as fine', 'fine.id', 'job.id')
    .where('job.id', '=', id)
    .select((select) => [
      'job.id',
      'job.kind',
      'job.status',
      select.fn.coalesce('job.paused_at', 'fine.paused_at').as('pausedAt'),
      'job.created_by as createdBy',
      'job.created_at as createdAt',
      'job.started_at as startedAt',
      'job.ended_at as endedAt',
    ])
    .executeTakeFirst();
  if (!job) return null;
  const counts = await db
    .selectFrom('training_job_calls')
    .where('job_id', '=', id)
    .select((select) => ['split', select.fn.countAll<number>().as('count')])
    .groupBy('split')
    .execute();
  const countOf = (split: string) => counts.find((each) => each.split === split)?.count ?? 0;
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return { ...job, calls: { total, train: countOf('train'), validation: countOf('validation') } };
}

export type CallOfJob = { callId: string; weight: number | null; split: TrainedCall['split'] | null };

/** The calls of a job in the order of their ids, at most `limit` of those after one of them. */
export function callsOfJob(
  { db }: Postgres,
  page: { jobId: string; after: string | null; limit: number },
): Promise<CallOfJob[]> {
  let query = db
    .selectFrom('training_job_calls')
    .where('job_id', '=', page.jobId)
    .select(['call_id as callId', 'weight', 'split']);
  if (page.after !== null) query = query.where('call_id', '>', page.after);
  return query.orderBy('call_id').limit(page.limit).execute();
}

/** The checkpoints of some jobs: of each the one that it ended with. */
export async function checkpointsOfJobs({ db }: Postgres, jobIds: string[]): Promise<Map<string, JobsCheckpoint>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('training_jobs as job')
    .innerJoin('checkpoints as checkpoint', 'checkpoint.id', 'job.checkpoint_id')
    .where('job.id', 'in', jobIds)
    .select(['job.id as jobId', 'checkpoint.id', 'checkpoint.step'])
    .execute();
  return new Map(rows.map(({ jobId, ...checkpoint }) => [jobId, checkpoint]));
}

type JobsCheckpoint = { id: string; step: number };
