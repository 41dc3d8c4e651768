import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/read.ts';
import { notFound } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';
import { findQueue } from '../../store/postgres/annotation-queues/queue.ts';
import { answerQueue } from './queue-answer.ts';

export function annotationQueueRead({ identity, postgres }: Context): Handler<typeof contract.annotationQueueRead> {
  return async ({ params: { queue_id: queueId }, query: { project_id: project }, caller }) => {
    const projectId = await identity.projectForRead(caller, project);
    const queue = await findQueue(postgres.db, { projectId, queueId });
    if (queue === null || queue.deletedAt !== null) throw notFound(`Queue ${queueId} not found`);
    return { queue: answerQueue(project, queue) };
  };
}
