import type { Context } from '../../context.ts';
import type { openaiEvalRunList as endpoint } from '../../contract/openai-eval-runs/list.ts';
import type { Handler } from '../../http/bind.ts';
import { limitWithNext, openAiPage } from '../openai-page.ts';
import { ownerForRead } from '../project.ts';
import { contentLength, runAnswer } from './run-answer.ts';

/** Each run repeats its rows, so a page may end early. */
const charactersMax = 32 * 1024 * 1024;

export function openaiEvalRunList(
  context: Pick<Context, 'config' | 'identity' | 'services'>,
): Handler<typeof endpoint> {
  return async ({ params, query, caller, raw }) => {
    const { openaiEvals } = context.services;
    const owner = await ownerForRead(context, { caller, raw });
    const { id } = await openaiEvals.find(params.eval_id, owner);
    const found = await openaiEvals.runs.list(id, { ...query, limit: limitWithNext(query.limit) }, owner);
    const answers: Awaited<ReturnType<typeof runAnswer>>[] = [];
    let characters = 0;
    for (const run of found.slice(0, query.limit)) {
      const answer = await runAnswer(context, run, { owner, raw });
      characters += contentLength(answer);
      if (answers.length > 0 && characters > charactersMax) break;
      answers.push(answer);
    }
    return { ...openAiPage(answers, query.limit), has_more: found.length > answers.length };
  };
}
