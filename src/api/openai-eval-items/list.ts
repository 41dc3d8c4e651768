import type { Context } from '../../context.ts';
import type { openaiEvalItemList as endpoint } from '../../contract/openai-eval-items/list.ts';
import type { Handler } from '../../http/bind.ts';
import { findEvalRun } from '../openai-eval-runs/find-run.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { ownerForRead } from '../project.ts';
import { itemAnswer } from './item-answer.ts';

export function openaiEvalItemList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, query, caller, raw }) => {
    const { limit, status, ...page } = query;
    const owner = await ownerForRead(context, { caller, raw });
    const run = await findEvalRun(context, params, owner);
    const wanted = { ...page, status: status === 'failed' ? ('fail' as const) : status, limit: limitWithNext(limit) };
    const found = await context.services.openaiEvals.items.list(run, wanted, owner);
    return openAiPage(
      found.map((each) => itemAnswer(run, each)),
      limit,
    );
  };
}
