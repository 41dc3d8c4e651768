import { defineEndpoint } from '../endpoint.ts';
import { fineTuningJob, fineTuningJobParams, group, path } from './fine-tuning-job.ts';

export const fineTuningJobRead = defineEndpoint({
  method: 'GET',
  path: `${path}/{fine_tuning_job_id}`,
  group,
  name: 'Retrieve Fine-tuning Job',
  description: 'Describes a job.',
  errors: 'openai',
  params: fineTuningJobParams,
  answer: { kind: 'json', schema: fineTuningJob },
});
