import type { TrainingEventType } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';

export type TrainingEvent = { id: string; type: TrainingEventType; data: Record<string, unknown> };

/** The events of a job in order, at most `limit` of those after a place. */
export async function listEvents(
  { db }: Postgres,
  page: { jobId: string; afterSequence: number | null; limit: number },
): Promise<TrainingEvent[]> {
  return db
    .selectFrom('training_events')
    .select(['id', 'type', 'data'])
    .where('job_id', '=', page.jobId)
    .where('sequence', '>', page.afterSequence ?? -1)
    .orderBy('sequence')
    .limit(page.limit)
    .execute();
}

/** The data of the first event of a type. */
export async function findEventData(
  { db }: Postgres,
  jobId: string,
  type: TrainingEventType,
): Promise<TrainingEvent['data'] | null> {
  const row = await db
    .selectFrom('training_events')
    .select('data')
    .where('job_id', '=', jobId)
    .where('type', '=', type)
    .orderBy('sequence')
    .limit(1)
    .executeTakeFirst();
  return row?.data ?? null;
}

/** The position of an event in its job; null if the job has no such event. */
export async function sequenceOf({ db }: Postgres, jobId: string, eventId: string): Promise<number | null> {
  const row = await db
    .selectFrom('training_events')
    .select('sequence')
    .where('job_id', '=', jobId)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row?.sequence ?? null;
}

/** How many events of each type a job has. */
export async function countEvents({ db }: Postgres, jobId: string): Promise<Map<TrainingEventType, number>> {
  const rows = await db
    .selectFrom('training_events')
    .select((select) => ['type', select.fn.countAll<number>().as('count')])
    .where('job_id', '=', jobId)
    .groupBy('type')
    .execute();
  return new Map(rows.map(({ type, count }) => [type, count]));
}
