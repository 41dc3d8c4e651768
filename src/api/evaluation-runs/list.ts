import type { Context } from '../../context.ts';
import type { evaluationRunList as endpoint } from '../../contract/evaluation-runs/list.ts';
import type { Handler } from '../../http/bind.ts';
import { toJson } from '../../util/json/write.ts';
import { linesOf } from '../json-lines.ts';
import { ownerForRead } from '../project.ts';
import { runAnswer } from './evaluation-run-answer.ts';

export function evaluationRunList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { evaluation_run_ids: ids, ...query } = input.query;
    const owner = await ownerForRead(context, input);
    const pages = await evaluations.runs.list({ ...query, ids }, owner);
    return linesOf(pages, (found) => toJson(runAnswer(found, owner.project.name)));
  };
}
