import type { Context } from '../../context.ts';
import type { checkpointList as endpoint } from '../../contract/checkpoints/list.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';
import { limitWithNext, trainingPage } from '../training-page.ts';

export function checkpointList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, query, caller }) => {
    const { model } = await findTrainedModel(context, caller, params.model_id);
    const { after, limit } = query;
    const page = { order: query.order ?? 'asc', after, limit: limitWithNext(limit) };
    const found = await context.services.training.checkpoints.list(model, page);
    return trainingPage(
      found.map(({ id, step, metrics }) => ({ id, step, metrics })),
      limit,
    );
  };
}
