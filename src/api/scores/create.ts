import type { Context } from '../../context.ts';
import type { scoreCreate as endpoint } from '../../contract/scores/create.ts';
import { idMaker } from '../../domain/calls/ids.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForWrite } from '../project.ts';

export function scoreCreate(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const { prediction_id: predictionId, evaluation_run_id: runId, ...score } = input.body;
    const owner = await ownerForWrite(context, input);
    return {
      score_id: await evaluations.scores.give({ ...score, predictionId, runId }, owner, idMaker(input.retryId)),
    };
  };
}
