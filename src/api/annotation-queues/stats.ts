import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/stats.ts';
import type { Handler } from '../../http/bind.ts';

export function annotationQueuesStats({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueuesStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const { queue_ids: queueIds, include_own: withOwn } = body;
    const counts = await annotationQueues.countItems({ projectId, queueIds, annotatorId: caller.userId });
    const stats = counts.map(({ queueId, items, done, ownDone }) => {
      const own = withOwn ? { own_completed_items: ownDone } : {};
      return { queue_id: queueId, total_items: items, completed_items: done, ...own };
    });
    return { stats };
  };
}
