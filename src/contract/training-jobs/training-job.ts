import { z } from 'zod';
import { optional, text, timestamp } from '../wire.ts';

export const path = '/v1/preview/training-jobs';
export const group = 'Training jobs';

export const trainingKind = z.enum(['rl', 'sft', 'dpo', 'rft']);
export const trainingStatus = z.enum(['queued', 'running', 'ended', 'failed']);

export const trainingJobParams = z.object({ job_id: text() });

/** Clients read `id`; the other fields show the job's progress. */
export const trainingJob = z
  .object({
    id: z.string(),
    model_id: z.string(),
    type: trainingKind,
    status: trainingStatus,
    created_at: timestamp(),
    started_at: optional(timestamp()),
    ended_at: optional(timestamp()),
  })
  .meta({ id: 'TrainingJob' });
