import type { Context } from '../../context.ts';
import type { openaiEvalItemRead as endpoint } from '../../contract/openai-eval-items/read.ts';
import type { Handler } from '../../http/bind.ts';
import { findEvalRun } from '../openai-eval-runs/find-run.ts';
import { ownerForRead } from '../project.ts';
import { itemAnswer } from './item-answer.ts';

export function openaiEvalItemRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    const run = await findEvalRun(context, params, owner);
    return itemAnswer(run, await context.services.openaiEvals.items.find(run, params.output_item_id, owner));
  };
}
