import type { Context } from '../../context.ts';
import type { openaiEvalRunRead as endpoint } from '../../contract/openai-eval-runs/read.ts';
import type { Handler } from '../../http/bind.ts';
import { headerOwnerForRead } from '../header-project.ts';
import { findEvalRun } from './find-run.ts';
import { runAnswer } from './run-answer.ts';

export function openaiEvalRunRead(
  context: Pick<Context, 'config' | 'identity' | 'services'>,
): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await headerOwnerForRead(context, { caller, raw });
    return runAnswer(context, await findEvalRun(context, params, owner), { owner, raw });
  };
}
