import { z } from 'zod';
import { text } from '../wire.ts';
import { fineTuningMethod, sharedHyperparameters } from './method.ts';

export const path = '/v1/fine_tuning/jobs';
export const group = 'Fine-tuning';

export const fineTuningJobParams = z.object({ fine_tuning_job_id: text() });

const fineTuningStatuses = ['validating_files', 'queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;

/** A job as OpenAI's SDKs read it. Times are in seconds since 1970. */
export const fineTuningJob = z
  .object({
    id: z.string(),
    object: z.literal('fine_tuning.job'),
    created_at: z.int(),
    finished_at: z.int().nullable(),
    estimated_finish: z.int().nullable(),
    model: z.string(),
    fine_tuned_model: z.string().nullable(),
    /** The entity of the project. */
    organization_id: z.string(),
    status: z.enum(fineTuningStatuses),
    method: fineTuningMethod,
    hyperparameters: sharedHyperparameters,
    seed: z.int(),
    training_file: z.string(),
    validation_file: z.string().nullable(),
    result_files: z.array(z.string()),
    trained_tokens: z.int().nullable(),
    error: z.object({ code: z.string(), message: z.string(), param: z.string().nullable() }).nullable(),
    integrations: z.array(z.never()),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: 'FineTuningJob' });
