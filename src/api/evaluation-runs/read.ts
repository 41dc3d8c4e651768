import type { Context } from '../../context.ts';
import type { evaluationRunRead as endpoint } from '../../contract/evaluation-runs/read.ts';
import { readMarks } from '../../domain/evaluations/marks.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { runAnswer } from './evaluation-run-answer.ts';

export function evaluationRunRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const owner = await ownerForRead(context, input);
    const found = await evaluations.runs.find(input.params.evaluation_run_id, owner);
    return {
      ...runAnswer(found, owner.project.name),
      source_evaluation_run_id: readMarks(found.call)('source_evaluation_run_id'),
    };
  };
}
