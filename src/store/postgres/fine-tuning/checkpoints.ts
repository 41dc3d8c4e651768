import type { Postgres } from '../postgres.ts';

/** An adapter at a step of a job. */
export type FineTuningCheckpoint = {
  id: string;
  jobId: string;
  step: number;
  metrics: Record<string, number>;
  createdAt: Date;
};

/** A job has one checkpoint of a step: adding another one has no effect. */
export async function addFineTuningCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  { id, jobId, step, metrics }: Omit<FineTuningCheckpoint, 'createdAt'>,
): Promise<void> {
  await db
    .insertInto('fine_tuning_checkpoints')
    .values({ id, job_id: jobId, step, metrics: JSON.stringify(metrics) })
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Those of a job, the last step first, at most `limit` of those before one of them. */
export async function listFineTuningCheckpoints(
  { db }: Pick<Postgres, 'db'>,
  page: { jobId: string; beforeStep: number | null; limit: number },
): Promise<FineTuningCheckpoint[]> {
  let query = selectCheckpoints({ db }).where('job_id', '=', page.jobId);
  if (page.beforeStep !== null) query = query.where('step', '<', page.beforeStep);
  return query.orderBy('step', 'desc').limit(page.limit).execute();
}

export async function findFineTuningCheckpoint(
  { db }: Pick<Postgres, 'db'>,
  jobId: string,
  where: { id: string } | { step: number },
): Promise<FineTuningCheckpoint | null> {
  const query = selectCheckpoints({ db }).where('job_id', '=', jobId);
  const one = 'id' in where ? query.where('id', '=', where.id) : query.where('step', '=', where.step);
  return (await one.executeTakeFirst()) ?? null;
}

/** Deletes those of a job. @returns their ids */
export async function deleteFineTuningCheckpoints({ db }: Pick<Postgres, 'db'>, jobId: string): Promise<string[]> {
  const rows = await db.deleteFrom('fine_tuning_checkpoints').where('job_id', '=', jobId).returning('id').execute();
  return rows.map(({ id }) => id);
}

function selectCheckpoints({ db }: Pick<Postgres, 'db'>) {
  return db
    .selectFrom('fine_tuning_checkpoints')
    .select(['id', 'job_id as jobId', 'step', 'metrics', 'created_at as createdAt']);
}
