import type { Context } from '../../context.ts';
import type { predictionFinish as endpoint } from '../../contract/predictions/finish.ts';
import type { Handler } from '../../http/bind.ts';
import { ownerForRead } from '../project.ts';

export function predictionFinish(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  const { evaluations } = context.services;
  return async (input) => {
    await evaluations.predictions.finish(input.params.prediction_id, await ownerForRead(context, input));
    return { success: true };
  };
}
