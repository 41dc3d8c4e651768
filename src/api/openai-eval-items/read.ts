import type { Context } from '../../context.ts';
import type { openaiEvalItemRead as endpoint } from '../../contract/openai-eval-items/read.ts';
import type { Handler } from '../../http/bind.ts';
import { headerOwnerForRead } from '../header-project.ts';
import { findEvalRun } from '../openai-eval-runs/find-run.ts';
import { itemAnswer } from './item-answer.ts';

export function openaiEvalItemRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await headerOwnerForRead(context, { caller, raw });
    const run = await findEvalRun(context, params, owner);
    return itemAnswer(run, await context.services.openaiEvals.items.find(run, params.output_item_id, owner));
  };
}
