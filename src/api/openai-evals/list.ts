import type { Context } from '../../context.ts';
import type { openaiEvalList as endpoint } from '../../contract/openai-evals/list.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { ownerForRead } from '../project.ts';
import { evalAnswer } from './eval-answer.ts';

export function openaiEvalList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ query, caller, raw }) => {
    const { limit, order_by: orderBy, ...page } = query;
    const owner = await ownerForRead(context, { caller, raw });
    const wanted = { ...page, orderBy, limit: limitWithNext(limit) };
    const found = await context.services.openaiEvals.list(wanted, owner);
    return openAiPage(found.map(evalAnswer), limit);
  };
}
