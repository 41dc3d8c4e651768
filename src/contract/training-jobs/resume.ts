import { defineEndpoint } from '../endpoint.ts';
import { group, path, trainingJob, trainingJobParams } from './training-job.ts';

export const trainingJobResume = defineEndpoint({
  method: 'POST',
  path: `${path}/{job_id}/resume`,
  group,
  name: 'Resume Training Job',
  description:
    'Lets a paused job continue with its next step. A job that paused because trainer and sampler differ does not pause for this reason again. ' +
    'A job cannot continue once its model has been trained further.',
  errors: 'detail',
  params: trainingJobParams,
  answer: { kind: 'json', schema: trainingJob },
});
