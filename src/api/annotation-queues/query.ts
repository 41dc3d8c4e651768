import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/query.ts';
import { checkPage } from '../../domain/query/page.ts';
import type { Handler } from '../../http/bind.ts';
import { queryQueues } from '../../store/postgres/annotation-queues/query-queues.ts';
import { answerQueue } from './queue-answer.ts';

export function annotationQueuesQuery({ identity, postgres }: Context): Handler<typeof contract.annotationQueuesQuery> {
  return async ({ body, caller }) => {
    const { project_id: project, name, sort_by: sortBy, limit, offset } = body;
    const projectId = await identity.projectForRead(caller, project);
    checkPage(body, 'a positive integer');
    const queues = await queryQueues(postgres, { projectId, name, sortBy: sortBy ?? [], limit, offset });
    return (async function* lines() {
      for (const queue of queues) yield `${JSON.stringify(answerQueue(project, queue))}\n`;
    })();
  };
}
