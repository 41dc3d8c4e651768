import type { Context } from '../../context.ts';
import type { checkpointDelete as endpoint } from '../../contract/checkpoints/delete.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';

export function checkpointDelete(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, body, caller }) => {
    const { model } = await findTrainedModel(context, caller, params.model_id);
    const deleted = new Set(await context.services.training.checkpoints.delete(model, body.steps));
    const missing = [...new Set(body.steps)].filter((step) => !deleted.has(step));
    return { deleted_count: deleted.size, not_found_steps: missing };
  };
}
