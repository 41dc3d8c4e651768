import type { Context } from '../../context.ts';
import type { callEnd } from '../../contract/calls/end.ts';
import type { Handler } from '../../http/bind.ts';
import { makeEnd } from './make-parts.ts';

export function endCall(context: Context): Handler<typeof callEnd> {
  return async ({ body: { end }, caller }) => {
    const part = await makeEnd(end);
    const projectId = await context.identity.projectForWrite(caller, end.project_id);
    await context.calls.write([{ projectId, id: end.id, part }]);
    return {};
  };
}
