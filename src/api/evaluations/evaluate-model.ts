import type { Context } from '../../context.ts';
import type { evaluateModel as endpoint } from '../../contract/evaluations/evaluate-model.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { evaluateModel as kind } from '../../jobs/tasks/evaluate-model.ts';

export function evaluateModel({ identity, jobs }: Pick<Context, 'identity' | 'jobs'>): Handler<typeof endpoint> {
  return async ({ body, caller, retryId }) => {
    const { project_id: project, evaluation_ref: evaluation, model_ref: model } = body;
    const projectId = await identity.projectForWrite(caller, project);
    const id = idMaker(retryId)();
    await jobs.add(kind, { id, project: projectId, input: { project, userId: caller.userId, evaluation, model } });
    return { call_id: id };
  };
}
