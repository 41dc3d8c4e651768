import type { Context } from '../../context.ts';
import type { trainingJobCancel as endpoint } from '../../contract/training-jobs/cancel.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainingJob } from '../trained-model.ts';
import { trainingJobAnswer } from './training-job-answer.ts';

export function trainingJobCancel(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const { jobs } = context.services.training;
    const { id } = await findTrainingJob(context, caller, params.job_id);
    await jobs.cancel(id);
    return trainingJobAnswer(await findTrainingJob(context, caller, id), await jobs.usage([id]));
  };
}
