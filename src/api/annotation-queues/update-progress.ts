import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/update-progress.ts';
import { parseProgressState } from '../../domain/annotation-queues/progress.ts';
import type { Handler } from '../../http/bind.ts';
import { answerItem } from './item-answer.ts';

export function annotationQueueUpdateProgress({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueUpdateProgress> {
  return async ({ params: { queue_id: queueId, item_id: itemId }, body, caller }) => {
    const state = parseProgressState(body.annotation_state);
    const queue = { projectId: await identity.projectForRead(caller, body.project_id), queueId };
    const item = await annotationQueues.updateProgress({ queue, itemId, annotatorId: caller.userId, state });
    return { item: answerItem(body.project_id, item, null) };
  };
}
