import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/update.ts';
import { badRequest } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';

export function callUpdate({ identity, services: { calls } }: Context): Handler<typeof contract.callUpdate> {
  return async ({ body: { project_id: project, call_id: id, display_name: displayName }, caller }) => {
    if (displayName === null) throw badRequest('One of [display_name] is required for call update');
    const part = calls.makeRename(id, displayName);
    const projectId = await identity.projectForWrite(caller, project);
    await calls.record([{ projectId, id, part }]);
    return {};
  };
}
