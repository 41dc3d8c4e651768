import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/add-calls.ts';
import type { Handler } from '../../http/bind.ts';

export function annotationQueueAddCalls({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueAddCalls> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, call_ids: callIds, display_fields: displayFields } = body;
    const key = { projectId: await identity.projectForRead(caller, project), queueId };
    const calls = { callIds, displayFields, addedBy: caller.userId };
    const { added, duplicates } = await annotationQueues.addCalls(key, calls);
    return { added_count: added, duplicates };
  };
}
