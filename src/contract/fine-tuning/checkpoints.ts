import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { fineTuningJobParams, group, path } from './fine-tuning-job.ts';

const fineTuningCheckpoint = z
  .object({
    id: z.string(),
    object: z.literal('fine_tuning.job.checkpoint'),
    created_at: z.int(),
    fine_tuned_model_checkpoint: z.string(),
    fine_tuning_job_id: z.string(),
    step_number: z.int(),
    metrics: z.record(z.string(), z.number()),
  })
  .meta({ id: 'FineTuningJobCheckpoint' });

export const fineTuningJobCheckpoints = defineEndpoint({
  method: 'GET',
  path: `${path}/{fine_tuning_job_id}/checkpoints`,
  group,
  name: 'List Fine-tuning Checkpoints',
  description: 'Lists the checkpoints of a job, newest first: those at the end of its last three epochs.',
  errors: 'openai',
  params: fineTuningJobParams,
  query: openAiPageQuery({ default: 10, max: 100 }),
  answer: { kind: 'json', schema: openAiPage(fineTuningCheckpoint, 'FineTuningJobCheckpointList') },
});
