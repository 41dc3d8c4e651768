import type { Context } from '../../context.ts';
import type { trainedModelDelete as endpoint } from '../../contract/trained-models/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';

export function trainedModelDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const { model } = await findTrainedModel(context, caller, params.model_id);
    const { checkpoints, hadRun } = await context.services.training.models.delete(model);
    return { model_id: model.id, deleted_checkpoints: checkpoints, deleted_run: hadRun };
  };
}
