import type { Context } from '../../context.ts';
import type { predictionRead as endpoint } from '../../contract/predictions/read.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';
import { predictionAnswer } from './prediction-answer.ts';

export function predictionRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    const owner = await ownerForRead(context, input);
    return predictionAnswer(await evaluations.predictions.find(input.params.prediction_id, owner));
  };
}
