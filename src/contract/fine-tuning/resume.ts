import { defineEndpoint } from '../endpoint.ts';
import { fineTuningJob, fineTuningJobParams, group, path } from './fine-tuning-job.ts';

export const fineTuningJobResume = defineEndpoint({
  method: 'POST',
  path: `${path}/{fine_tuning_job_id}/resume`,
  group,
  name: 'Resume Fine-tuning Job',
  description: 'Continues a paused job.',
  errors: 'openai',
  params: fineTuningJobParams,
  answer: { kind: 'json', schema: fineTuningJob },
});
