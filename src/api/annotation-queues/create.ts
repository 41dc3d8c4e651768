import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/create.ts';
import type { Handler } from '../../http/bind.ts';

export function annotationQueueCreate({
  identity,
  services: { annotationQueues },
}: Context): Handler<typeof contract.annotationQueueCreate> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForWrite(caller, body.project_id);
    const { name, description, scorer_refs: scorerRefs } = body;
    const queue = { name, description, scorerRefs, createdBy: caller.userId };
    return { id: await annotationQueues.create(projectId, queue) };
  };
}
