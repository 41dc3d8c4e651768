import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/upsert-batch.ts';
import { badRequest } from '../../contract/errors.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { projectIdsForWrite } from '../../services/project-ids.ts';
import { Failure } from '../../util/failures.ts';
import { openRefusalLog } from './refusal-log.ts';
import { readEnd, readStart } from './wire-parts.ts';

/**
 * Items are independent: those that cannot be stored are listed in the response and never cost a client the rest of its
 * batch, which it would send again and again.
 */
export function callUpsertBatch({
  identity,
  log,
  services: { calls },
}: Context): Handler<typeof contract.callUpsertBatch> {
  const logRefused = openRefusalLog(log);
  return async ({ body: { batch }, caller, retryId }) => {
    for (const { mode, req } of batch) checkMode(mode, 'start' in req ? 'start' : 'end');
    const projects = batch.map(({ req }) => ('start' in req ? req.start : req.end).project_id);
    const projectIds = await projectIdsForWrite(identity, caller, projects);
    const newId = idMaker(retryId);
    const results: (Record<string, never> | { id: string; trace_id: string })[] = [];
    const outcomes = await calls.recordEach(batch, async ({ req }) => {
      if ('end' in req) {
        results.push({});
        const end = readEnd(req.end);
        return { projectId: projectIds.get(req.end.project_id)!, id: end.id, part: await calls.makeEnd(end) };
      }
      const start = readStart(req.start, newId);
      results.push({ id: start.id, trace_id: start.traceId });
      const part = await calls.makeStart(start, caller.userId);
      return { projectId: projectIds.get(req.start.project_id)!, id: start.id, part };
    });
    logRefused(outcomes);
    return {
      res: outcomes.map((outcome, i) => (outcome instanceof Failure ? { reason: outcome.message } : results[i]!)),
    };
  };
}

function checkMode(mode: string, kind: 'start' | 'end'): void {
  if (mode !== 'start' && mode !== 'end')
    throw badRequest(`Invalid mode ${JSON.stringify(mode)}: expected start or end`);
  if (mode !== kind) throw badRequest(`The mode of a batch item is ${mode}, but its req holds the ${kind} of a call.`);
}
