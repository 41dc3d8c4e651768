import type { Context } from '../../context.ts';
import type { openaiEvalRunRead as endpoint } from '../../contract/openai-eval-runs/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { findEvalRun } from './find-run.ts';
import { runAnswer } from './run-answer.ts';

export function openaiEvalRunRead(
  context: Pick<Context, 'config' | 'identity' | 'services'>,
): Handler<typeof endpoint> {
  return async ({ params, caller, raw }) => {
    const owner = await ownerForRead(context, { caller, raw });
    return runAnswer(context, await findEvalRun(context, params, owner), { owner, raw });
  };
}
