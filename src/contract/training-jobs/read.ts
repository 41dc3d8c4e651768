import { defineEndpoint } from '../endpoint.ts';
import { group, path, trainingJob, trainingJobParams } from './training-job.ts';

export const trainingJobRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{job_id}`,
  group,
  name: 'Get Training Job',
  description: 'Reads a training job.',
  errors: 'detail',
  params: trainingJobParams,
  answer: { kind: 'json', schema: trainingJob },
});
