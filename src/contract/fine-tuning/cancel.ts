import { defineEndpoint } from '../endpoint.ts';
import { fineTuningJob, fineTuningJobParams, group, path } from './fine-tuning-job.ts';

export const fineTuningJobCancel = defineEndpoint({
  method: 'POST',
  path: `${path}/{fine_tuning_job_id}/cancel`,
  group,
  name: 'Cancel Fine-tuning Job',
  description: 'Ends a job that has not ended yet, without a model.',
  errors: 'openai',
  params: fineTuningJobParams,
  answer: { kind: 'json', schema: fineTuningJob },
});
