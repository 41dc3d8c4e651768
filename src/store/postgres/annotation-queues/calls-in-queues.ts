import { sql } from 'kysely';
import { inTexts } from '../objects/version.ts';
import type { Postgres } from '../postgres.ts';

/** The ids of the calls in each of these queues; a deleted or unknown queue has none. */
export async function callsInQueues(
  { db }: Postgres,
  projectId: string,
  queueIds: string[],
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ queueId: string; callIds: string[] }>`
    SELECT queue_id AS "queueId", array_agg(call_id) AS "callIds"
    FROM ${sql.table('annotation_queue_items')}
    WHERE queue_id IN (
      SELECT id FROM ${sql.table('annotation_queues')}
      WHERE project_id = ${projectId} AND id = ${inTexts(queueIds)} AND deleted_at IS NULL)
    GROUP BY queue_id`.execute(db);
  return new Map(rows.map(({ queueId, callIds }) => [queueId, callIds]));
}
