import type { Context } from '../../context.ts';
import type { openaiEvalRunCancel as endpoint } from '../../contract/openai-eval-runs/cancel.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { findEvalRun } from './find-run.ts';
import { runAnswer } from './run-answer.ts';

export function openaiEvalRunCancel(
  context: Pick<Context, 'config' | 'identity' | 'services'>,
): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    await context.services.openaiEvals.runs.cancel(await findEvalRun(context, params, owner));
    return runAnswer(context, await findEvalRun(context, params, owner), { owner, raw });
  };
}
