import { z } from 'zod';
import { optional, text, timestamp } from '../wire.ts';

export const path = '/v1/preview/training-jobs';
export const group = 'Training jobs';

export const trainingKind = z.enum(['rl', 'sft', 'dpo', 'rft']);
export const trainingStatus = z.enum(['queued', 'running', 'paused', 'ended', 'failed']);

/** What the trainer did for a job, in all of its runs. */
const trainingUsage = z
  .object({
    /** That the trainer worked: from sending work until its result. */
    seconds: z.number(),
    /** Of sequences that were only scored. */
    forward_tokens: z.int(),
    /** Of sequences whose gradient was computed, with their prompts. */
    trained_tokens: z.int(),
    optimizer_steps: z.int(),
  })
  .meta({ id: 'TrainingUsage' });

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
    /** Why the job paused itself. */
    paused_reason: optional(z.string()),
    /** Why a running job does not train yet: the server that trains has no place for its model. */
    waiting_reason: optional(z.string()),
    usage: trainingUsage,
    /** Whether the job may train on rows of suites. */
    allows_suite_rows: z.boolean(),
    /** How its data compared with the suites of its project; null before the comparison, and without suites. */
    suite_check: z.enum(['clean', 'allowed', 'refused']).nullable(),
    /** How many rows of its data match a row of a suite. */
    suite_rows_found: z.int().nullable(),
  })
  .meta({ id: 'TrainingJob' });
