import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/update.ts';
import type { Handler } from '../../http/bind.ts';
import { answerQueue } from './queue-answer.ts';

export function annotationQueueUpdate({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueUpdate> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, name, description, scorer_refs: scorerRefs } = body;
    const key = { projectId: await identity.projectForRead(caller, project), queueId };
    const queue = await annotationQueues.update(key, { name, description, scorerRefs });
    return { queue: answerQueue(project, queue) };
  };
}
