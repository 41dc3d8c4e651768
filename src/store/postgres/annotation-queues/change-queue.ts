import { sql } from 'kysely';
import type { AnnotationQueue, QueueKey } from '../../../domain/annotation-queues/queue.ts';
import type { Postgres } from '../postgres.ts';
import { isQueue, queueColumns } from './queue.ts';

/** The fields of a queue that a client may change; null keeps a value. */
export type QueueChanges = { name: string | null; description: string | null; scorerRefs: string[] | null };

/** @returns the changed queue; null if it does not exist or is deleted. */
export function updateQueue(postgres: Postgres, key: QueueKey, changes: QueueChanges): Promise<AnnotationQueue | null> {
  const { name, description, scorerRefs } = changes;
  return change(postgres, key, {
    ...(name === null ? {} : { name }),
    ...(description === null ? {} : { description }),
    ...(scorerRefs === null ? {} : { scorer_refs: sql<string[]>`${scorerRefs}::text[]` }),
  });
}

/** @returns the deleted queue; null if it does not exist or was deleted before. */
export function deleteQueue(postgres: Postgres, key: QueueKey): Promise<AnnotationQueue | null> {
  return change(postgres, key, { deleted_at: sql<Date>`statement_timestamp()` });
}

async function change({ db }: Postgres, key: QueueKey, set: object): Promise<AnnotationQueue | null> {
  const row = await db
    .updateTable('annotation_queues')
    .set({ ...set, updated_at: sql<Date>`statement_timestamp()` })
    .where(isQueue(key))
    .where('deleted_at', 'is', null)
    .returning(queueColumns)
    .executeTakeFirst();
  return row ?? null;
}
