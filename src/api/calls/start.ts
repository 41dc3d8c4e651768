import type { Context } from '../../context.ts';
import type { callStart } from '../../contract/calls/start.ts';
import type { Handler } from '../../http/bind.ts';
import { makeStart } from './make-parts.ts';
import { wireContext } from './wire-context.ts';

export function startCall(context: Context): Handler<typeof callStart> {
  return async ({ body: { start }, caller, retryId }) => {
    const { id, traceId, part } = await makeStart(start, wireContext(context, caller, retryId));
    const projectId = await context.identity.projectForWrite(caller, start.project_id);
    await context.calls.write([{ projectId, id, part }]);
    return { id, trace_id: traceId };
  };
}
