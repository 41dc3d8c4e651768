import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/start.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { readStart } from './wire-parts.ts';

export function callStart({ identity, services: { calls } }: Context): Handler<typeof contract.callStart> {
  return async ({ body: { start }, caller, retryId }) => {
    const call = readStart(start, idMaker(retryId));
    const part = await calls.makeStart(call, caller.userId);
    const projectId = await identity.projectForWrite(caller, start.project_id);
    await calls.record([{ projectId, id: call.id, part }]);
    return { id: call.id, trace_id: call.traceId };
  };
}
