import { defineEndpoint } from '../endpoint.ts';
import { group, path, trainingJob, trainingJobParams } from './training-job.ts';

export const trainingJobCancel = defineEndpoint({
  method: 'POST',
  path: `${path}/{job_id}/cancel`,
  group,
  name: 'Cancel Training Job',
  description:
    'Cancels a job that is queued or running. Its last event is `training_failed`, and no checkpoint is created. A job that has ended does not change.',
  errors: 'detail',
  params: trainingJobParams,
  answer: { kind: 'json', schema: trainingJob },
});
