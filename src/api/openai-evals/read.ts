import type { Context } from '../../context.ts';
import type { openaiEvalRead as endpoint } from '../../contract/openai-evals/read.ts';
import type { Handler } from '../../http/bind.ts';
import { headerOwnerForRead } from '../header-project.ts';
import { evalAnswer } from './eval-answer.ts';

export function openaiEvalRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await headerOwnerForRead(context, { caller, raw });
    return evalAnswer(await context.services.openaiEvals.find(params.eval_id, owner));
  };
}
