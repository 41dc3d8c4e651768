import type { Context } from '../../context.ts';
import type { evaluationRunCreate as endpoint } from '../../contract/evaluation-runs/create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForWrite } from '../project.ts';

export function evaluationRunCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { source_evaluation_run_id: sourceRunId, ...run } = input.body;
    const owner = await ownerForWrite(context, input);
    return { evaluation_run_id: await evaluations.runs.start({ ...run, sourceRunId }, owner, idMaker(input.retryId)) };
  };
}
