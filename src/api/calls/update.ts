import type { Context } from '../../context.ts';
import type { callUpdate } from '../../contract/calls/update.ts';
import { badRequest } from '../../contract/errors.ts';
import { checkCallId, checkDisplayName } from '../../domain/calls/new-call.ts';
import type { Handler } from '../../http/bind.ts';

/** Also of a call that has not come yet: clients send their starts in the background. */
export function updateCall(context: Context): Handler<typeof callUpdate> {
  return async ({ body, caller }) => {
    if (body.display_name === null) throw badRequest('One of [display_name] is required for call update');
    checkCallId(body.call_id);
    checkDisplayName(body.display_name);
    const projectId = await context.identity.projectForWrite(caller, body.project_id);
    const part = { kind: 'rename', displayName: body.display_name } as const;
    await context.calls.write([{ projectId, id: body.call_id, part }]);
    return {};
  };
}
