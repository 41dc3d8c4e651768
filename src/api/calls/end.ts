import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/end.ts';
import type { Handler } from '../../http/bind.ts';
import { readEnd } from './wire-parts.ts';

export function callEnd({ identity, services: { calls } }: Context): Handler<typeof contract.callEnd> {
  return async ({ body: { end }, caller }) => {
    const part = await calls.makeEnd(readEnd(end));
    const projectId = await identity.projectForWrite(caller, end.project_id);
    await calls.record([{ projectId, id: end.id, part }]);
    return {};
  };
}
