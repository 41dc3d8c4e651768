import type { Context } from '../../context.ts';
import type * as contract from '../../contract/calls/uses.ts';
import type { Handler } from '../../http/bind.ts';
import { projectForRead } from '../project.ts';

export function callUses(context: Context): Handler<typeof contract.callUses> {
  return async ({ body, caller }) => {
    const { id: projectId } = await projectForRead(context, caller, body.project_id);
    const { datasets, queues, jobs } = await context.services.calls.findUses(projectId, body.id);
    return {
      datasets: datasets.map(({ objectId, digest, versionIndex, isLatest, rows }) => ({
        ...{ object_id: objectId, digest, version_index: versionIndex, is_latest: isLatest, rows },
      })),
      queues: queues.map(({ id, name, state }) => ({ id, name, annotation_state: state })),
      training_jobs: jobs.map(({ id, kind, status, model, weight, split }) => ({
        ...{ id, type: kind, status, model, weight, split },
      })),
    };
  };
}
