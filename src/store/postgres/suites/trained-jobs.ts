import type { ProjectId } from '../../../contract/ids.ts';
import type { TrainingKind } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';

/** A job that has trained, or may, and what is known of its data. */
export type JobToScan = {
  id: string;
  modelId: string;
  kind: TrainingKind;
  config: Record<string, unknown>;
  createdBy: string;
  trainingFileId: string | null;
};

/** The jobs of a project that were not refused, by age: at most `limit` of those after one of them. */
export function jobsToScan(
  { db }: Postgres,
  { projectId, after, limit }: { projectId: ProjectId; after: string | null; limit: number },
): Promise<JobToScan[]> {
  return ofProject({ db }, projectId)
    .leftJoin('fine_tuning_jobs as fine', 'fine.id', 'job.id')
    .select([
      'job.id',
      'job.model_id as modelId',
      'job.kind',
      'job.config',
      'job.created_by as createdBy',
      'fine.training_file_id as trainingFileId',
    ])
    .$if(after !== null, (query) => query.where('job.id', '>', after!)) // ids of version 7 sort by time
    .orderBy('job.id')
    .limit(limit)
    .execute();
}

export async function countJobsToScan({ db }: Postgres, projectId: ProjectId): Promise<number> {
  const { count } = await ofProject({ db }, projectId)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function ofProject({ db }: Pick<Postgres, 'db'>, projectId: ProjectId) {
  return db
    .selectFrom('training_jobs as job')
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .where('model.project_id', '=', projectId)
    .where((where) => where.or([where('job.suite_check', 'is', null), where('job.suite_check', '!=', 'refused')]));
}

/** The calls that a job learned from, in pages by id; those that were held out are left out. */
export async function callsOfJob(
  { db }: Postgres,
  { jobId, after, limit }: { jobId: string; after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('training_job_calls')
    .select('call_id')
    .where('job_id', '=', jobId)
    .where((where) => where.or([where('split', 'is', null), where('split', '=', 'train')]))
    .where('call_id', '>', after)
    .orderBy('call_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.call_id);
}

/**
 * The jobs that a checkpoint comes from: those of its model that had ended by then, the one that made it, and those of the checkpoint
 * that this one was further trained from.
 */
export async function jobsBehindCheckpoint({ db }: Postgres, checkpointId: string): Promise<string[]> {
  const found = new Set<string>();
  const visited = new Set<string>();
  let next: string | null = checkpointId;
  while (next !== null && !visited.has(next)) {
    visited.add(next);
    const checkpoint = await findAny({ db }, next);
    if (checkpoint === null) break;
    const jobs = await db
      .selectFrom('training_jobs as job')
      .leftJoin('fine_tuning_jobs as fine', 'fine.id', 'job.id')
      .select(['job.id', 'fine.start_checkpoint_id as start'])
      .where('job.model_id', '=', checkpoint.modelId)
      .where((where) =>
        where.or([
          where('job.id', '=', checkpoint.jobId ?? ''),
          where('job.id', '=', next), // older versions named the checkpoint of a job like the job
          where('job.checkpoint_id', '=', next),
          where.and([where('job.status', '=', 'ended'), where('job.ended_at', '<=', checkpoint.createdAt)]),
        ]),
      )
      .execute();
    for (const { id } of jobs) found.add(id);
    next = jobs.find(({ start }) => start !== null)?.start ?? null;
  }
  return [...found];
}

/** A checkpoint, whether it is listed among those of its model or only among those of a fine-tuning job. */
async function findAny({ db }: Pick<Postgres, 'db'>, id: string) {
  const ofJob = await db
    .selectFrom('fine_tuning_checkpoints as checkpoint')
    .innerJoin('training_jobs as job', 'job.id', 'checkpoint.job_id')
    .select(['job.model_id as modelId', 'job.id as jobId', 'checkpoint.created_at as createdAt'])
    .where('checkpoint.id', '=', id)
    .executeTakeFirst();
  if (ofJob) return ofJob;
  const listed = await db
    .selectFrom('checkpoints')
    .select(['model_id as modelId', 'created_at as createdAt'])
    .where('id', '=', id)
    .executeTakeFirst();
  return listed ? { ...listed, jobId: null } : null;
}
