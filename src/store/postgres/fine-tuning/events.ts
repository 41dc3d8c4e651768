import { sql } from 'kysely';
import type { TrainingEventType } from '../../../domain/training/job.ts';
import type { Postgres } from '../postgres.ts';

/** An event of a job with its place in it. */
export type NumberedEvent = {
  id: string;
  type: TrainingEventType;
  data: Record<string, unknown>;
  createdAt: Date;
  /** How many steps were made by then, this one included. */
  step: number;
};

/** Newest first, at most `limit` of those before a place. */
export async function listNumberedEvents(
  { db }: Pick<Postgres, 'db'>,
  page: { jobId: string; beforeSequence: number | null; limit: number },
): Promise<NumberedEvent[]> {
  const numbered = db
    .selectFrom('training_events')
    .select(['id', 'type', 'data', 'created_at as createdAt', 'sequence'])
    .select(sql<number>`(count(*) FILTER (WHERE type = 'gradient_step') OVER (ORDER BY sequence))::integer`.as('step'))
    .where('job_id', '=', page.jobId);
  let query = db.selectFrom(numbered.as('event')).selectAll();
  if (page.beforeSequence !== null) query = query.where('sequence', '<', page.beforeSequence);
  return query.orderBy('sequence', 'desc').limit(page.limit).execute();
}
