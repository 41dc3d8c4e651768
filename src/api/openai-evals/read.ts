import type { Context } from '../../context.ts';
import type { openaiEvalRead as endpoint } from '../../contract/openai-evals/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { evalAnswer } from './eval-answer.ts';

export function openaiEvalRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    return evalAnswer(await context.services.openaiEvals.find(params.eval_id, owner));
  };
}
