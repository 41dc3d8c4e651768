import type { Context } from '../../context.ts';
import type { callsDelete } from '../../contract/calls/delete.ts';
import { tooLarge } from '../../contract/errors.ts';
import { withDescendants } from '../../domain/calls/descendants.ts';
import { isCallId } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { findTraceMembers } from '../../store/clickhouse/calls/find-trace-members.ts';

const idsMax = 1000;

/**
 * Deletes calls with their descendants in the same traces. Ids that are not known yet are marked too: clients send
 * their calls in the background, and one that was deleted must not come back with its own late start.
 */
export function deleteCalls(context: Context): Handler<typeof callsDelete> {
  return async ({ body, caller }) => {
    const ids = [...new Set(body.call_ids)];
    if (ids.length > idsMax) throw tooLarge(`Cannot delete more than ${idsMax} calls at once (found ${ids.length}).`);
    const projectId = await context.identity.projectForRead(caller, body.project_id);
    const members = await findTraceMembers(context.clickhouse, projectId, ids);
    const found = withDescendants(ids, members);
    const part = { kind: 'delete' } as const;
    const marked = new Set([...ids.filter(isCallId), ...found]); // what is no id of a call needs no mark
    await context.calls.write([...marked].map((id) => ({ projectId, id, part })));
    return { num_deleted: found.length };
  };
}
