import type { Context } from '../../context.ts';
import type { scoreRead as endpoint } from '../../contract/scores/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { scoreAnswer } from './score-answer.ts';

export function scoreRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    return scoreAnswer(await evaluations.scores.find(input.params.score_id, await ownerForRead(context, input)));
  };
}
