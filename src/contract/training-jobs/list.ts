import { defineEndpoint } from '../endpoint.ts';
import { trainingPage, trainingPageQuery } from '../training-page.ts';
import { text } from '../wire.ts';
import { group, path, trainingJob } from './training-job.ts';

export const trainingJobList = defineEndpoint({
  method: 'GET',
  path,
  group,
  name: 'List Training Jobs',
  description: 'Lists the training jobs of a model, oldest first.',
  errors: 'detail',
  query: trainingPageQuery.extend({ model_id: text() }),
  answer: { kind: 'json', schema: trainingPage(trainingJob, 'TrainingJobPage') },
});
