import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/query.ts';
import type { Handler } from '../../http/bind.ts';
import { answerQueue } from './queue-answer.ts';

export function annotationQueuesQuery({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueuesQuery> {
  return async ({ body, caller }) => {
    const { project_id: project, name, sort_by: sortBy, limit, offset } = body;
    const projectId = await identity.projectForRead(caller, project);
    const queues = await annotationQueues.query({ projectId, name, sortBy: sortBy ?? [], limit, offset });
    return (async function* lines() {
      for (const queue of queues) yield `${JSON.stringify(answerQueue(project, queue))}\n`;
    })();
  };
}
