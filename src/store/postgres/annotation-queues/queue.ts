import { type Kysely, type SqlBool, sql } from 'kysely';
import type { AnnotationQueue, QueueKey } from '../../../domain/annotation-queues/queue.ts';
import type { Database } from '../schema.ts';

export const queueColumns = [
  'id',
  'name',
  'description',
  'scorer_refs as scorerRefs',
  'created_at as createdAt',
  'created_by as createdBy',
  'updated_at as updatedAt',
  'deleted_at as deletedAt',
] as const;

/** Matches the row of this queue in `annotation_queues`. */
export function isQueue({ projectId, queueId }: QueueKey) {
  return sql<SqlBool>`annotation_queues.project_id = ${projectId} AND annotation_queues.id = ${queueId}`;
}

/** A queue, even if deleted; null if it does not exist. */
export async function findQueue(db: Kysely<Database>, key: QueueKey): Promise<AnnotationQueue | null> {
  const row = await db.selectFrom('annotation_queues').select(queueColumns).where(isQueue(key)).executeTakeFirst();
  return row ?? null;
}
