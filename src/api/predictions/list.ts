import type { Context } from '../../context.ts';
import type { predictionList as endpoint } from '../../contract/predictions/list.ts';
import type { Handler } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf } from '../json-lines.ts';
import { ownerForRead } from '../project.ts';
import { predictionAnswer } from './prediction-answer.ts';

export function predictionList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { evaluation_run_id: runId, ...page } = input.query;
    const pages = await evaluations.predictions.list({ ...page, runId }, await ownerForRead(context, input));
    return linesOf(pages, (found) => toJson(predictionAnswer(found)));
  };
}
