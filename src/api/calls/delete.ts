import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/delete.ts';
import type { Handler } from '../../http/bind.ts';

export function callsDelete({ identity, services }: Context): Handler<typeof contract.callsDelete> {
  return async ({ body, caller }) => {
    const projectId = await identity.projectForRead(caller, body.project_id);
    return { num_deleted: await services.calls.delete(projectId, body.call_ids) };
  };
}
