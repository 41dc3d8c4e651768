import type { Context } from '../../context.ts';
import type { trainingJobRead as endpoint } from '../../contract/training-jobs/read.ts';
import type { Handler } from '../../http/bind.ts';
import { matchAnswer } from '../suites/suite-answer.ts';
import { findTrainingJob } from '../trained-model.ts';
import { trainingJobAnswer } from './training-job-answer.ts';

const matchesShown = 100;

export function trainingJobRead(context: Pick<Context, 'identity' | 'services'>): Handler<typeof endpoint> {
  return async ({ params, caller }) => {
    const job = await findTrainingJob(context, caller, params.job_id);
    const { training, suites } = context.services;
    const matches = await suites.ofJob(job.id, matchesShown);
    return {
      ...trainingJobAnswer(job, await training.jobs.usage([job.id])),
      suite_matches: matches.map(({ suiteName: suite, ...match }) => ({ suite, ...matchAnswer(match) })),
    };
  };
}
