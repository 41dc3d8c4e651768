import type { Context } from '../../context.ts';
import type { trainingJobRead as endpoint } from '../../contract/training-jobs/read.ts';
import type { Handler } from '../../http/bind.ts';
import { findTrainingJob } from '../trained-model.ts';
import { trainingJobAnswer } from './training-job-answer.ts';

export function trainingJobRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const job = await findTrainingJob(context, caller, params.job_id);
    return trainingJobAnswer(job, await context.services.training.jobs.usage([job.id]));
  };
}
