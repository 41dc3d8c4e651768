import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { allowSuiteRows } from '../training-jobs/allow-suite-rows.ts';
import { group } from '../training-jobs/training-job.ts';
import { text } from '../wire.ts';
import { wantedModel } from './calls-sought.ts';
import { sftConfigs } from './sft-preview.ts';
import { startedSchema } from './started.ts';

export const trainingSftStart = defineEndpoint({
  method: 'POST',
  path: '/calls/train_sft',
  group,
  name: 'Train On Calls Supervised',
  description: 'Starts a supervised job on the calls that a preview chose.',
  body: z
    .object({ ...wantedModel, chosen: z.array(text()), ...sftConfigs, allow_suite_rows: allowSuiteRows })
    .meta({ id: 'TrainSftFromCallsReq' }),
  answer: { kind: 'json', schema: startedSchema },
});
