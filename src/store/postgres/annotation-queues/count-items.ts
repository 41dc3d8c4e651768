import { sql } from 'kysely';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';

export type QueueCounts = { queueId: string; items: number; done: number };

/** The number of items in a project's queues, and how many of them an annotator has finished. */
export async function countItems({ db }: Postgres, projectId: string, queueIds: string[]): Promise<QueueCounts[]> {
  const { rows } = await sql<QueueCounts>`
    SELECT queue_id AS "queueId", count(*)::float8 AS items, (count(*) FILTER (WHERE is_done))::float8 AS done
    FROM annotation_queue_items
    WHERE queue_id IN (SELECT id FROM annotation_queues WHERE project_id = ${projectId} AND id = ${inTexts(queueIds)})
    GROUP BY queue_id`.execute(db);
  return rows;
}
