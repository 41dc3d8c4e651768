import type { Context } from '../../context.ts';
import type { evaluationRunDelete as endpoint } from '../../contract/evaluation-runs/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function evaluationRunDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { calls } = context.services;
  return async (input) => {
    const { project } = await ownerForRead(context, input);
    return { num_deleted: await calls.delete(project.id, input.query.evaluation_run_ids) };
  };
}
