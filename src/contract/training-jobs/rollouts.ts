import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int, optional } from '../wire.ts';
import { rollout } from './rollout.ts';
import { group, path, trainingJobParams } from './training-job.ts';

export const trainingJobRollouts = defineEndpoint({
  method: 'GET',
  path: `${path}/{job_id}/rollouts`,
  group,
  name: 'Get Training Job Rollouts',
  description:
    'Shows what a step of a supervised or reinforcement learning job trains on. Up to 100 steps, and up to 8 rollouts of each, ' +
    'are kept, from when the data is prepared until the model is deleted. Without `step`, it is the first one.',
  errors: 'detail',
  params: trainingJobParams,
  query: z.object({ step: optional(int()) }),
  answer: {
    kind: 'json',
    schema: z
      .object({
        steps: z.array(int()).meta({ description: 'The steps that are kept.' }),
        step: optional(int()).meta({
          description: 'The last step that is kept up to the one asked for; null if none is.',
        }),
        total: int().meta({ description: 'All rollouts of the step.' }),
        rollouts: z.array(rollout),
      })
      .meta({ id: 'TrainingJobRollouts' }),
  },
});
