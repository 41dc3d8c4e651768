import { sql } from 'kysely';
import type { Postgres } from '../postgres.ts';

export type QueueOfCall = { id: string; name: string; state: 'unstarted' | 'in_progress' | 'completed' | 'skipped' };

/** The queues that a call is in, except for deleted ones, the newest first. */
export async function queuesOfCall({ db }: Postgres, projectId: string, callId: string): Promise<QueueOfCall[]> {
  const { rows } = await sql<QueueOfCall>`
    SELECT queue.id, queue.name, item.annotation_state AS state
    FROM ${sql.table('annotation_queues')} queue JOIN ${sql.table('annotation_queue_items')} item ON item.queue_id = queue.id
    WHERE queue.project_id = ${projectId} AND queue.deleted_at IS NULL AND item.call_id = ${callId}
    ORDER BY queue.created_at DESC`.execute(db);
  return rows;
}
