import type { Context } from '../../context.ts';
import type { openaiEvalRunDelete as endpoint } from '../../contract/openai-eval-runs/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { findEvalRun } from './find-run.ts';

export function openaiEvalRunDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    await context.services.openaiEvals.runs.delete(await findEvalRun(context, params, owner), owner.project.id);
    return { object: 'eval.run.deleted', deleted: true, run_id: params.run_id };
  };
}
