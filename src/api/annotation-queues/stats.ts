import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/stats.ts';
import type { Handler } from '../../http/bind.ts';

export function annotationQueuesStats({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueuesStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const counts = await annotationQueues.countItems(projectId, body.queue_ids);
    const stats = counts.map(({ queueId, items, done }) => {
      return { queue_id: queueId, total_items: items, completed_items: done };
    });
    return { stats };
  };
}
