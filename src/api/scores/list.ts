import type { Context } from '../../context.ts';
import type { scoreList as endpoint } from '../../contract/scores/list.ts';
import type { Handler } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf } from '../json-lines.ts';
import { ownerForRead } from '../project.ts';
import { scoreAnswer } from './score-answer.ts';

export function scoreList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { evaluation_run_id: runId, ...page } = input.query;
    const pages = await evaluations.scores.list({ ...page, runId }, await ownerForRead(context, input));
    return linesOf(pages, (found) => toJson(scoreAnswer(found)));
  };
}
