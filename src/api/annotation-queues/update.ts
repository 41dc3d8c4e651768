import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/update.ts';
import type { Handler } from '../../http/bind.ts';
import { updateQueue } from '../../store/postgres/annotation-queues/change-queue.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import { answerQueue, queueNotFound } from './queue-answer.ts';

export function annotationQueueUpdate({ identity, postgres }: Context): Handler<typeof contract.annotationQueueUpdate> {
  return async ({ params: { queue_id: queueId }, body, caller }) => {
    const { project_id: project, name, description, scorer_refs: scorerRefs } = body;
    const key = { projectId: await identity.projectForRead(caller, project), queueId };
    const isNothing = name === null && description === null && scorerRefs === null;
    const queue = isNothing
      ? await findQueue(postgres.db, key)
      : await updateQueue(postgres, key, { name, description, scorerRefs });
    if (queue === null || queue.deletedAt !== null) throw queueNotFound(queueId);
    return { queue: answerQueue(project, queue) };
  };
}
