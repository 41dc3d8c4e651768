import type { Context } from '../../context.ts';
import type { callsComplete } from '../../contract/calls/complete.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';
import type { CallWrite } from '../../store/clickhouse/calls/call-writer.ts';
import { openTurn } from '../../util/turns.ts';
import { projectOfPath } from '../project-of-path.ts';
import { makeComplete } from './make-parts.ts';
import { wireContext } from './wire-context.ts';

/** Items stand on their own, as in a batch of starts and ends: the answer names those that were refused. */
export function completeCalls(context: Context): Handler<typeof callsComplete> {
  return async ({ params, body: { batch }, caller, retryId }) => {
    const inBody = batch.map((call) => call.project_id);
    const project = projectOfPath(params, inBody);
    const projectId = await context.identity.projectForWrite(caller, project);
    const wire = wireContext(context, caller, retryId);
    const writes: CallWrite[] = [];
    const rejected: { id: string; reason: string }[] = [];
    const reject = (id: string, { message: reason }: ApiError) => {
      context.log.warn({ reason }, 'an item of a batch of calls was refused');
      rejected.push({ id, reason });
    };
    const turn = openTurn();
    for (const call of batch) {
      if (turn.isOver()) await turn.next();
      try {
        writes.push({ projectId, id: call.id, part: await makeComplete(call, wire) });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        reject(call.id, error);
      }
    }
    for (const [i, outcome] of (await context.calls.writeEach(writes)).entries()) {
      if (outcome instanceof ApiError) reject(writes[i]!.id, outcome);
    }
    return rejected.length > 0 ? { rejected } : {};
  };
}
