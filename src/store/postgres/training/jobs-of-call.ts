import type { Transaction } from 'kysely';
import type { TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

export type JobOfCall = { id: string; kind: TrainingKind; status: TrainingStatus; model: string };

const jobsMax = 100;

/** PostgreSQL takes 65,535 parameters in a statement. */
const rowsTogether = 10_000;

export async function addCallsOfJob(
  db: Transaction<Database>,
  jobId: string,
  callIds: Iterable<string>,
): Promise<void> {
  const rows = [...new Set(callIds)].map((callId) => ({ call_id: callId, job_id: jobId }));
  for (let from = 0; from < rows.length; from += rowsTogether) {
    const together = rows.slice(from, from + rowsTogether);
    await db.insertInto('training_job_calls').values(together).execute();
  }
}

/** The jobs that were made from a call, the newest first. */
export function jobsOfCall({ db }: Postgres, projectId: string, callId: string): Promise<JobOfCall[]> {
  return db
    .selectFrom('training_job_calls as used')
    .innerJoin('training_jobs as job', 'job.id', 'used.job_id')
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .where('used.call_id', '=', callId)
    .where('model.project_id', '=', projectId)
    .select(['job.id', 'job.kind', 'job.status', 'model.name as model'])
    .orderBy('job.id', 'desc') // ids of version 7 sort by time
    .limit(jobsMax)
    .execute();
}
