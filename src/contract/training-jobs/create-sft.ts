import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { optional, text } from '../wire.ts';
import { allowSuiteRows } from './allow-suite-rows.ts';
import { sftConfig, sftExperimentalConfig } from './sft-config.ts';
import { group } from './training-job.ts';

export const trainingJobCreateSft = defineEndpoint({
  method: 'POST',
  path: '/v1/preview/sft-training-jobs',
  group,
  name: 'Create Sft Training Job',
  description:
    'Trains a model on conversations by supervised fine-tuning. `training_data_url` is the URL of JSON Lines with ' +
    '`messages` and `tools`: an artifact (`wandb-artifact:///entity/project/name:v0`), a published dataset or a table ' +
    '(`weave:///…`), or a `data:` URL. Its events are those of `/v1/preview/training-jobs/{job_id}/events`.',
  errors: 'detail',
  takesData: true,
  body: z
    .object({
      model_id: text(),
      training_data_url: optional(text()),
      /** An alias of `training_data_url`. */
      training_folder_url: optional(text()),
      config: optional(sftConfig),
      experimental_config: optional(sftExperimentalConfig),
      allow_suite_rows: allowSuiteRows,
    })
    .meta({ id: 'CreateSFTTrainingJobRequest' }),
  answer: { kind: 'json', schema: z.object({ id: z.string() }).meta({ id: 'SFTTrainingJobResponse' }) },
});
