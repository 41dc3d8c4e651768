import { sql } from 'kysely';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';

/** `ownDone` are the items that one annotator has finished. */
export type QueueCounts = { queueId: string; items: number; done: number; ownDone: number };

export type CountedQueues = { projectId: string; queueIds: string[]; annotatorId: string };

/** The number of items in a project's queues, how many of them any annotator has finished, and how many this one. */
export async function countItems({ db }: Postgres, queues: CountedQueues): Promise<QueueCounts[]> {
  const { projectId, queueIds, annotatorId } = queues;
  const { rows } = await sql<QueueCounts>`
    SELECT queue_id AS "queueId", count(*) AS items, count(*) FILTER (WHERE is_done) AS done,
      count(*) FILTER (WHERE own.annotation_state IN ('completed', 'skipped')) AS "ownDone"
    FROM ${sql.table('annotation_queue_items')} AS item
    LEFT JOIN ${sql.table('annotation_progress')} AS own ON own.item_id = item.id AND own.annotator_id = ${annotatorId}
    WHERE queue_id IN (SELECT id FROM ${sql.table('annotation_queues')} WHERE project_id = ${projectId} AND id = ${inTexts(queueIds)})
    GROUP BY queue_id`.execute(db);
  return rows;
}
