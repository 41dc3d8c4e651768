import type { Context } from '../../context.ts';
import type { openaiEvalUpdate as endpoint } from '../../contract/openai-evals/update.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { evalAnswer } from './eval-answer.ts';

export function openaiEvalUpdate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, body, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    const changes = { name: body.name ?? null, metadata: body.metadata ?? null };
    return evalAnswer(await context.services.openaiEvals.update(params.eval_id, changes, owner));
  };
}
