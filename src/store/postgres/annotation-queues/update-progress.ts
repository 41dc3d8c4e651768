import { sql, type Transaction } from 'kysely';
import type { QueueItem } from '../../../domain/annotation-queues/item.ts';
import { isChange, isEnd, type ProgressState } from '../../../domain/annotation-queues/progress.ts';
import type { QueueKey } from '../../../domain/annotation-queues/queue.ts';
import type { Postgres } from '../postgres.ts';
import type { Database } from '../schema.ts';
import { itemColumns } from './item.ts';

export type Progress = { queue: QueueKey; itemId: string; annotatorId: string; state: ProgressState };

/**
 * Records one annotator's action on an item, and updates the item. Actions of all annotators on one item are
 * serialized.
 * @returns the item; null if the queue has no such item or is deleted.
 * @throws Failure for an invalid transition.
 */
export async function updateProgress({ db }: Postgres, progress: Progress): Promise<QueueItem | null> {
  return db.transaction().execute(async (transaction) => {
    const item = await lockItem(transaction, progress);
    if (item === null) return null;
    const before = await stateOf(transaction, progress);
    if (!isChange(before ?? 'unstarted', progress.state)) return item;
    await saveState(transaction, progress);
    return showState(transaction, progress);
  });
}

async function lockItem(db: Transaction<Database>, { queue, itemId }: Progress): Promise<QueueItem | null> {
  const { rows } = await sql<QueueItem>`
    SELECT ${itemColumns} FROM ${sql.table('annotation_queue_items')}
    WHERE id = ${itemId} AND queue_id = ${queue.queueId} AND EXISTS (
      SELECT FROM ${sql.table('annotation_queues')}
      WHERE id = ${queue.queueId} AND project_id = ${queue.projectId} AND deleted_at IS NULL)
    FOR UPDATE`.execute(db);
  return rows[0] ?? null;
}

async function stateOf(db: Transaction<Database>, { itemId, annotatorId }: Progress): Promise<ProgressState | null> {
  const row = await db
    .selectFrom('annotation_progress')
    .select('annotation_state')
    .where('item_id', '=', itemId)
    .where('annotator_id', '=', annotatorId)
    .executeTakeFirst();
  return row?.annotation_state ?? null;
}

async function saveState(db: Transaction<Database>, { itemId, annotatorId, state }: Progress): Promise<void> {
  await sql`
    INSERT INTO ${sql.table('annotation_progress')} (item_id, annotator_id, annotation_state, created_at, updated_at)
    VALUES (${itemId}, ${annotatorId}, ${state}, statement_timestamp(), statement_timestamp())
    ON CONFLICT (item_id, annotator_id)
    DO UPDATE SET annotation_state = excluded.annotation_state, updated_at = excluded.updated_at`.execute(db);
}

async function showState(db: Transaction<Database>, { itemId, annotatorId, state }: Progress): Promise<QueueItem> {
  const { rows } = await sql<QueueItem>`
    UPDATE ${sql.table('annotation_queue_items')}
    SET annotation_state = ${state}, annotator_user_id = ${annotatorId}, is_done = is_done OR ${isEnd(state)},
      updated_at = statement_timestamp()
    WHERE id = ${itemId}
    RETURNING ${itemColumns}`.execute(db);
  return rows[0]!;
}
