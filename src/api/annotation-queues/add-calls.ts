import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/add-calls.ts';
import type { Handler } from '../../http/bind.ts';
import { findSnapshots } from '../../store/clickhouse/calls/find/find-snapshots.ts';
import { addItems } from '../../store/postgres/annotation-queues/add-items.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import { queueNotFound } from './queue-answer.ts';

export function annotationQueueAddCalls({
  clickhouse,
  identity,
  postgres,
}: Context): Handler<typeof contract.annotationQueueAddCalls> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, call_ids: given, display_fields: displayFields } = body;
    const projectId = await identity.projectForRead(caller, project);
    const queue = { projectId, queueId };
    if (((await findQueue(postgres.db, queue)) ?? gone).deletedAt !== null) throw queueNotFound(queueId);
    const callIds = [...new Set(given)];
    const snapshots = await findSnapshots(clickhouse, projectId, callIds);
    const items = { callIds, snapshots, displayFields, addedBy: caller.userId };
    const result = await addItems(postgres, queue, items);
    if (result === null) throw queueNotFound(queueId); // deleted in the meantime
    // Where all are in the queue already, clients are told of each id they sent.
    const duplicates = result.present === callIds.length ? given.length : result.present;
    return { added_count: result.added, duplicates };
  };
}

const gone = { deletedAt: new Date(0) };
