import type { Context } from '../../context.ts';
import type { trainedModelLog as endpoint } from '../../contract/trained-models/log.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';

export function trainedModelLog(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, body, caller }) => {
    const { model } = await findTrainedModel(context, caller, params.model_id);
    await context.services.training.models.log(model, body.split, body.trajectory_groups);
    return null;
  };
}
