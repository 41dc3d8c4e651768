import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/query-items.ts';
import type { ItemsFilter } from '../../domain/annotation-queues/items-filter.ts';
import type { Handler, Input } from '../../http/bind.ts';
import { answerItem } from './item-answer.ts';

export function annotationQueueQueryItems({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueQueryItems> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, filter, sort_by: sortBy, limit, offset, include_position: withPosition } = body;
    const key = { projectId: await identity.projectForRead(caller, project), queueId };
    const query = {
      filter: filter && itemsFilter(filter),
      sortBy: sortBy ?? [],
      limit,
      offset,
      withPosition,
      annotatorId: caller.userId,
    };
    const items = await annotationQueues.queryItems(key, query);
    return {
      items: items.map((item) => ({
        ...answerItem(project, item, item.position),
        ...(body.include_own_state ? { own_state: item.ownState } : {}),
      })),
    };
  };
}

type Body = Input<typeof contract.annotationQueueQueryItems>['body'];

function itemsFilter(filter: NonNullable<Body['filter']>): ItemsFilter {
  return {
    id: filter.id,
    callId: filter.call_id,
    opName: filter.call_op_name,
    traceId: filter.call_trace_id,
    addedBy: filter.added_by,
    states: filter.annotation_states,
    ownStates: filter.own_states,
  };
}
