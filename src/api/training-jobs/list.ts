import type { Context } from '../../context.ts';
import type { trainingJobList as endpoint } from '../../contract/training-jobs/list.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainedModel } from '../trained-model.ts';
import { limitWithNext, trainingPage } from '../training-page.ts';
import { trainingJobAnswer } from './training-job-answer.ts';

export function trainingJobList(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ query, caller }) => {
    const { model_id: modelId, after, limit } = query;
    const { model } = await findTrainedModel(context, caller, modelId);
    const { jobs } = context.services.training;
    const found = await jobs.list(model, { after, limit: limitWithNext(limit) });
    const usage = await jobs.usage(found.map(({ id }) => id));
    const answers = found.map((job) => trainingJobAnswer(job, usage));
    return trainingPage(answers, limit);
  };
}
