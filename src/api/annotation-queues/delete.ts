import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { deleteQueue } from '../../store/postgres/annotation-queues/change-queue.ts';
import { answerQueue, queueNotFound } from './queue-answer.ts';

export function annotationQueueDelete({ identity, postgres }: Context): Handler<typeof contract.annotationQueueDelete> {
  return async ({ params: { queue_id: queueId }, query: { project_id: project }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    const queue = await deleteQueue(postgres, { projectId, queueId });
    if (queue === null) throw queueNotFound(queueId);
    return { queue: answerQueue(project, queue) };
  };
}
