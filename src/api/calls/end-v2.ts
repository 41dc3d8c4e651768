import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/end-v2.ts';
import { notFound } from '../../contract/errors.ts';
import type { Handler } from '../../http/bind.ts';
import { projectOfPath } from '../project.ts';
import { readEnd } from './wire-parts.ts';

export function callEndV2({ identity, services: { calls } }: Context): Handler<typeof contract.callEndV2> {
  return async ({ params, body: { end }, caller }) => {
    const project = projectOfPath(params, [end.project_id]);
    const part = await calls.makeEnd(readEnd(end));
    const projectId = await identity.projectForWrite(caller, project);
    const [outcome] = await calls.record([{ projectId, id: end.id, part, needsStart: true }]);
    if (outcome === 'unstarted') throw notFound(`Cannot end call ${end.id}: no start found in project ${project}`);
    return {};
  };
}
