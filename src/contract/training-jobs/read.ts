import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { suiteMatch } from '../suites/match.ts';
import { group, path, trainingJob, trainingJobParams } from './training-job.ts';

/** With the first rows of suites that its data matches, by the lines of the data. */
const trainingJobWithMatches = trainingJob
  .extend({ suite_matches: z.array(suiteMatch) })
  .meta({ id: 'TrainingJobWithMatches' });

export const trainingJobRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{job_id}`,
  group,
  name: 'Get Training Job',
  description: 'Reads a training job.',
  errors: 'detail',
  params: trainingJobParams,
  answer: { kind: 'json', schema: trainingJobWithMatches },
});
