import type { Context } from '../../context.ts';
import type { openaiEvalDelete as endpoint } from '../../contract/openai-evals/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function openaiEvalDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    await context.services.openaiEvals.delete(params.eval_id, owner);
    return { object: 'eval.deleted', deleted: true, eval_id: params.eval_id };
  };
}
