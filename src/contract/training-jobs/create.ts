import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trajectoryGroups } from '../trajectories.ts';
import { optional, text } from '../wire.ts';
import { allowSuiteRows } from './allow-suite-rows.ts';
import { rlConfig } from './rl-config.ts';
import { group, path } from './training-job.ts';

export const trainingJobCreate = defineEndpoint({
  method: 'POST',
  path,
  group,
  name: 'Create Rl Training Job',
  description:
    'Trains a model on groups of trajectories by reinforcement learning. The job is queued, and its events can be read at ' +
    'once; jobs of one model run one after the other. Each job that ends makes one checkpoint.',
  errors: 'detail',
  takesData: true,
  takesTrajectories: true,
  body: z
    .object({
      model_id: text(),
      trajectory_groups: trajectoryGroups,
      experimental_config: optional(rlConfig),
      allow_suite_rows: allowSuiteRows,
    })
    .meta({ id: 'CreateRlTrainingJobRequest' }),
  answer: { kind: 'json', schema: z.object({ id: z.string() }).meta({ id: 'TrainingJobResponse' }) },
});
