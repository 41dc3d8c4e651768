import type { Transaction } from 'kysely';
import type { TrainingKind, TrainingStatus } from '../../../domain/training/job.ts';
import type { TrainedCall } from '../../../domain/training/trained-call.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';

export type JobOfCall = {
  id: string;
  kind: TrainingKind;
  status: TrainingStatus;
  model: string;
  /** Null if the job has not prepared its data yet, or does not train on the call. */
  weight: number | null;
  split: TrainedCall['split'] | null;
};

const jobsMax = 100;

/** PostgreSQL takes 65,535 parameters in a statement. */
const rowsTogether = 10_000;

export async function addCallsOfJob(
  db: Transaction<Database>,
  jobId: string,
  callIds: Iterable<string>,
): Promise<void> {
  const rows = [...new Set(callIds)].map((callId) => ({ call_id: callId, job_id: jobId, weight: null, split: null }));
  for (const together of parts(rows)) await db.insertInto('training_job_calls').values(together).execute();
}

/** Stores what a job trains on, once its data is prepared. Doing so again changes nothing. */
export async function saveTrainedCalls({ db }: Postgres, jobId: string, calls: readonly TrainedCall[]): Promise<void> {
  const byId = new Map(calls.map((call) => [call.callId, call]));
  const rows = [...byId.values()].map(({ callId, ...of }) => ({ call_id: callId, job_id: jobId, ...of }));
  for (const together of parts(rows)) {
    await db
      .insertInto('training_job_calls')
      .values(together)
      .onConflict((conflict) =>
        conflict.columns(['call_id', 'job_id']).doUpdateSet((row) => ({
          weight: row.ref('excluded.weight'),
          split: row.ref('excluded.split'),
        })),
      )
      .execute();
  }
}

function* parts<Row>(rows: Row[]): Generator<Row[]> {
  for (let from = 0; from < rows.length; from += rowsTogether) yield rows.slice(from, from + rowsTogether);
}

/** The jobs that were made from a call, the newest first. */
export function jobsOfCall({ db }: Postgres, projectId: string, callId: string): Promise<JobOfCall[]> {
  return db
    .selectFrom('training_job_calls as used')
    .innerJoin('training_jobs as job', 'job.id', 'used.job_id')
    .innerJoin('trained_models as model', 'model.id', 'job.model_id')
    .where('used.call_id', '=', callId)
    .where('model.project_id', '=', projectId)
    .select(['job.id', 'job.kind', 'job.status', 'model.name as model', 'used.weight', 'used.split'])
    .orderBy('job.id', 'desc') // ids of version 7 sort by time
    .limit(jobsMax)
    .execute();
}
