import type { Context } from '../../context.ts';
import type { End, Start } from '../../contract/calls/parts.ts';
import type { callUpsertBatch } from '../../contract/calls/upsert-batch.ts';
import { ApiError, badRequest } from '../../contract/errors.ts';
import type { WireContext } from '../../domain/calls/new-call.ts';
import type { Handler } from '../../http/bind.ts';
import type { CallWrite } from '../../store/clickhouse/calls/call-writer.ts';
import { openTurn } from '../../util/turns.ts';
import { makeEnd, makeStart } from './make-parts.ts';
import { projectIdsForWrite } from '../../services/project-ids.ts';
import { wireContext } from './wire-context.ts';

/**
 * Items stand on their own: what cannot be stored is named in the answer, and never costs a client the rest of its
 * batch, which it would send again and again.
 */
export function upsertCalls(context: Context): Handler<typeof callUpsertBatch> {
  return async ({ body: { batch }, caller, retryId }) => {
    for (const { mode, req } of batch) checkMode(mode, 'start' in req ? 'start' : 'end');
    const wire = wireContext(context, caller, retryId);
    const items = batch.map(({ req }) => ('start' in req ? req.start : req.end));
    const projectIds = await projectIdsForWrite(context.identity, caller, items);
    const writes: CallWrite[] = [];
    const places: number[] = [];
    const results: object[] = [];
    const refuse = (place: number, { message: reason }: ApiError) => {
      context.log.warn({ reason }, 'an item of a batch of calls was refused');
      results[place] = { reason };
    };
    const turn = openTurn();
    for (const [place, { req }] of batch.entries()) {
      if (turn.isOver()) await turn.next();
      try {
        const { result, write } = 'start' in req ? await readStart(req.start, wire) : await readEnd(req.end);
        results[place] = result;
        places.push(place);
        writes.push({ ...write, projectId: projectIds.get(write.project)! });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        refuse(place, error);
      }
    }
    for (const [i, outcome] of (await context.calls.writeEach(writes)).entries()) {
      if (outcome instanceof ApiError) refuse(places[i]!, outcome);
    }
    return { res: results };
  };
}

async function readStart(start: Start, wire: WireContext) {
  const { id, traceId, part } = await makeStart(start, wire);
  return { result: { id, trace_id: traceId }, write: { project: start.project_id, id, part } };
}

async function readEnd(end: End) {
  return { result: {}, write: { project: end.project_id, id: end.id, part: await makeEnd(end) } };
}

function checkMode(mode: string, kind: 'start' | 'end'): void {
  if (mode !== 'start' && mode !== 'end')
    throw badRequest(`Invalid mode ${JSON.stringify(mode)}: expected start or end`);
  if (mode !== kind) throw badRequest(`The mode of a batch item is ${mode}, but its req holds the ${kind} of a call.`);
}
