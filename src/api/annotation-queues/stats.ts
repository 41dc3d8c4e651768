import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/stats.ts';
import type { Handler } from '../../http/bind.ts';
import { countItems } from '../../store/postgres/annotation-queues/count-items.ts';

/** One entry for each id, in the order asked; an unknown one has no items. */
export function annotationQueuesStats({ identity, postgres }: Context): Handler<typeof contract.annotationQueuesStats> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    const ids = [...new Set(body.queue_ids)];
    const counts = new Map((await countItems(postgres, projectId, ids)).map((each) => [each.queueId, each]));
    const stats = ids.map((id) => {
      const { items = 0, done = 0 } = counts.get(id) ?? {};
      return { queue_id: id, total_items: items, completed_items: done };
    });
    return { stats };
  };
}
