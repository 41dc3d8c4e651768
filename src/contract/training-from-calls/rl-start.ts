import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { allowSuiteRows } from '../training-jobs/allow-suite-rows.ts';
import { rlConfig } from '../training-jobs/rl-config.ts';
import { group } from '../training-jobs/training-job.ts';
import { optional } from '../wire.ts';
import { wantedModel } from './calls-sought.ts';
import { chosenGroups } from './rl-preview.ts';
import { startedSchema } from './started.ts';

export const trainingRlStart = defineEndpoint({
  method: 'POST',
  path: '/calls/train',
  group,
  name: 'Train On Calls By Rl',
  description: 'Starts a reinforcement learning job on the calls that a preview chose.',
  body: z
    .object({
      ...wantedModel,
      chosen: chosenGroups,
      experimental_config: optional(rlConfig),
      allow_suite_rows: allowSuiteRows,
    })
    .meta({ id: 'TrainFromCallsReq' }),
  answer: { kind: 'json', schema: startedSchema },
});
