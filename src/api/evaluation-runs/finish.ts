import type { Context } from '../../context.ts';
import type { evaluationRunFinish as endpoint } from '../../contract/evaluation-runs/finish.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function evaluationRunFinish(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const owner = await ownerForRead(context, input);
    await evaluations.runs.finish(input.params.evaluation_run_id, input.body.summary, owner);
    return { success: true };
  };
}
