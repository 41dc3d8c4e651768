import type { Context } from '../../context.ts';
import type { trainingJobResume as endpoint } from '../../contract/training-jobs/resume.ts';
import type { Handler } from '../../http/bind.ts';
import { conflict } from '../../util/failures.ts';
import { findTrainingJob } from '../trained-model.ts';
import { trainingJobAnswer } from './training-job-answer.ts';

export function trainingJobResume(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const { jobs } = context.services.training;
    const { id } = await findTrainingJob(context, caller, params.job_id);
    if (!(await jobs.resume(id))) throw conflict('The job is not paused.');
    return trainingJobAnswer(await findTrainingJob(context, caller, id), await jobs.usage([id]));
  };
}
