import type { Context } from '../../context.ts';
import type { callsDelete } from '../../contract/calls/delete.ts';
import type { Handler } from '../../http/bind.ts';

export function deleteCalls({ identity, services }: Context): Handler<typeof callsDelete> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    return { num_deleted: await services.calls.delete(projectId, body.call_ids) };
  };
}
