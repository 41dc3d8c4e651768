import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/complete.ts';
import type { Handler } from '../../http/bind.ts';
import { Failure } from '../../util/failures.ts';
import { projectOfPath } from '../project.ts';
import { openRefusalLog } from './refusal-log.ts';
import { readComplete } from './wire-parts.ts';

/** Items are independent, as in a batch of starts and ends: the response lists the rejected ones. */
export function callsComplete({ identity, log, services: { calls } }: Context): Handler<typeof contract.callsComplete> {
  const logRefused = openRefusalLog(log);
  return async ({ params, body: { batch }, caller }) => {
    const inBody = batch.map((call) => call.project_id);
    const project = projectOfPath(params, inBody);
    const projectId = await identity.projectForWrite(caller, project);
    const outcomes = await calls.recordEach(batch, async (call) => {
      const part = await calls.makeComplete(readComplete(call), caller.userId);
      return { projectId, id: call.id, part };
    });
    logRefused(outcomes);
    const rejected: { id: string; reason: string }[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome instanceof Failure) rejected.push({ id: batch[i]!.id, reason: outcome.message });
    }
    return rejected.length > 0 ? { rejected } : {};
  };
}
