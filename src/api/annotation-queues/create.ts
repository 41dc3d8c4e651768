import type { Context } from '../../context.ts';
import type * as contract from '../../contract/annotation-queues/create.ts';
import { newId } from '../../contract/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { createQueue } from '../../store/postgres/annotation-queues/create-queue.ts';

export function annotationQueueCreate({ identity, postgres }: Context): Handler<typeof contract.annotationQueueCreate> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForWrite(caller, body.project_id);
    const { name, description, scorer_refs: scorerRefs } = body;
    const id = newId();
    await createQueue(postgres, projectId, { id, name, description, scorerRefs, createdBy: caller.userId });
    return { id };
  };
}
