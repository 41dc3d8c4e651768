import type { Context } from '../../context.ts';
import type { callEnd } from '../../contract/calls/end.ts';
import { endToPart } from '../../domain/calls/from-wire.ts';
import type { Handler } from '../../http/bind.ts';

export function endCall(context: Context): Handler<typeof callEnd> {
  return async ({ body: { end }, caller }) => {
    const part = endToPart(end);
    const projectId = await context.identity.projectForWrite(caller, end.project_id);
    await context.calls.write([{ projectId, id: end.id, part }]);
    return {};
  };
}
