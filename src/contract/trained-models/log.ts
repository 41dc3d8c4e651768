import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trajectoryGroups } from '../trajectories.ts';
import { text } from '../wire.ts';
import { group, path, trainedModelParams } from './trained-model.ts';

export const trainedModelLog = defineEndpoint({
  method: 'POST',
  path: `${path}/{model_id}/log`,
  group,
  name: 'Log',
  description:
    "Stores trajectories of a split, such as `val`, and adds their metrics to the model's latest checkpoint: " +
    '`{split}/reward`, `{split}/reward_std_dev`, `{split}/exception_rate`, and the mean of each metric of trajectories and groups.',
  errors: 'detail',
  takesData: true,
  takesTrajectories: true,
  params: trainedModelParams,
  body: z.object({ split: text(), trajectory_groups: trajectoryGroups }).meta({ id: 'LogRequest' }),
  answer: { kind: 'json', schema: z.null() },
});
