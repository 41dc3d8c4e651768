import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { openAiPage, openAiPageQuery } from '../openai-page.ts';
import { fineTuningJobParams, group, path } from './fine-tuning-job.ts';

const fineTuningEvent = z
  .object({
    id: z.string(),
    object: z.literal('fine_tuning.job.event'),
    created_at: z.int(),
    level: z.enum(['info', 'warn', 'error']),
    message: z.string(),
    type: z.enum(['message', 'metrics']),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'FineTuningJobEvent' });

export const fineTuningJobEvents = defineEndpoint({
  method: 'GET',
  path: `${path}/{fine_tuning_job_id}/events`,
  group,
  name: 'List Fine-tuning Events',
  description: 'Lists the events of a job, newest first.',
  errors: 'openai',
  params: fineTuningJobParams,
  query: openAiPageQuery({ default: 20, max: 1000 }),
  answer: { kind: 'json', schema: openAiPage(fineTuningEvent, 'FineTuningJobEventList') },
});
