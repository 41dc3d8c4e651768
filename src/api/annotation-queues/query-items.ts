import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/query-items.ts';
import { notFound } from '../../contract/errors.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler } from '../../http/bind.ts';
import { queryItems } from '../../store/postgres/annotation-queues/query-items.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import { answerItem } from './item-answer.ts';

export function annotationQueueQueryItems({
  identity,
  postgres,
}: Context): Handler<typeof contract.annotationQueueQueryItems> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, filter, sort_by: sortBy, limit, offset, include_position: withPosition } = body;
    const projectId = await identity.projectForRead(caller, project);
    checkPage(body, 'a positive integer');
    const queue = await findQueue(postgres.db, { projectId, queueId });
    if (queue === null) throw notFound(`Queue ${queueId} not found`);
    const query = { queueId, filter, sortBy: sortBy ?? [], limit, offset, withPosition };
    const items = await queryItems(postgres, query);
    return { items: items.map((item) => answerItem(project, item, item.position)) };
  };
}
