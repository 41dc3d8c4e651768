import type { QueueKey } from '../../domain/annotation-queues/queue.ts';
import { findSnapshots } from '../../store/clickhouse/calls/find/find-snapshots.ts';
import { addItems } from '../../store/postgres/annotation-queues/add-items.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import type { Deps } from '../deps.ts';
import { notFoundOrDeleted } from './not-found.ts';

export type CallsToAdd = {
  /** As the client sent them; an id may repeat. */
  callIds: string[];
  displayFields: string[];
  addedBy: string;
};

/** How many calls were added, and how many were already in the queue. */
export type AddedCalls = { added: number; duplicates: number };

/** Adds calls to a queue, with the fields they have now. @throws Failure if the queue does not exist or is deleted */
export async function addCalls(
  { clickhouse, postgres }: Pick<Deps, 'clickhouse' | 'postgres'>,
  key: QueueKey,
  calls: CallsToAdd,
): Promise<AddedCalls> {
  const queue = await findQueue(postgres.db, key);
  if (queue === null || queue.deletedAt !== null) throw notFoundOrDeleted(key);
  const callIds = [...new Set(calls.callIds)];
  const snapshots = await findSnapshots(clickhouse, key.projectId, callIds);
  const result = await addItems(postgres, key, { ...calls, callIds, snapshots });
  if (result === null) throw notFoundOrDeleted(key); // deleted in the meantime
  const { added, present } = result;
  // If all are in the queue already, each id that the client sent counts, including repeated ones.
  return { added, duplicates: present === callIds.length ? calls.callIds.length : present };
}
