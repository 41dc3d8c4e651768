import { defineEndpoint } from '../endpoint.ts';
import { fineTuningJob, fineTuningJobParams, group, path } from './fine-tuning-job.ts';

export const fineTuningJobPause = defineEndpoint({
  method: 'POST',
  path: `${path}/{fine_tuning_job_id}/pause`,
  group,
  name: 'Pause Fine-tuning Job',
  description: 'Interrupts a job after its current step. It keeps what it has learned, and its status is `queued`.',
  errors: 'openai',
  params: fineTuningJobParams,
  answer: { kind: 'json', schema: fineTuningJob },
});
