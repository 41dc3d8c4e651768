import type { Context } from '../../context.ts';
import type { trainedModelRead as endpoint } from '../../contract/trained-models/read.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';
import { trainedModelAnswer } from './trained-model-answer.ts';

export function trainedModelRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const { model, project } = await findTrainedModel(context, caller, params.model_id);
    return trainedModelAnswer(model, project);
  };
}
