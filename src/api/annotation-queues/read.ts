import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/read.ts';
import type { Handler } from '../../http/bind.ts';
import { answerQueue } from './queue-answer.ts';

export function annotationQueueRead({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueRead> {
  return async ({ params: { queue_id: queueId }, query: { project_id: project }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    return { queue: answerQueue(project, await annotationQueues.read({ projectId, queueId })) };
  };
}
