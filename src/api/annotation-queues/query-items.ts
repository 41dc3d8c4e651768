import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/query-items.ts';
import type { Handler } from '../../http/bind.ts';
import { answerItem } from './item-answer.ts';

export function annotationQueueQueryItems({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueQueryItems> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, filter, sort_by: sortBy, limit, offset, include_position: withPosition } = body;
    const key = { projectId: await identity.projectForRead(caller, project), queueId };
    const query = { filter, sortBy: sortBy ?? [], limit, offset, withPosition, annotatorId: caller.userId };
    const items = await annotationQueues.queryItems(key, query);
    return {
      items: items.map((item) => ({
        ...answerItem(project, item, item.position),
        ...(body.include_own_state ? { own_state: item.ownState } : {}),
      })),
    };
  };
}
