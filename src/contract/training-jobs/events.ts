import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { trainingPage, trainingPageQuery } from '../training-page.ts';
import { group, path, trainingJobParams } from './training-job.ts';

/**
 * The first four are what clients wait for: `training_started` with `num_sequences`, one `gradient_step` for each
 * optimizer step, whose data is numbers only, and one of the last two. Clients ignore the others.
 */
const trainingEventTypes = [
  'training_started',
  'gradient_step',
  'training_ended',
  'training_failed',
  'validation',
  'checkpoint',
  'notice',
  'warning',
  'alarm',
] as const;

const trainingEvent = z
  .object({
    id: z.string(),
    type: z.enum(trainingEventTypes),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TrainingJobEventResponse' });

export const trainingJobEvents = defineEndpoint({
  method: 'GET',
  path: `${path}/{job_id}/events`,
  group,
  name: 'Get Training Job Events',
  description: 'Lists the events of a training job, oldest first.',
  errors: 'detail',
  params: trainingJobParams,
  query: trainingPageQuery,
  answer: { kind: 'json', schema: trainingPage(trainingEvent, 'TrainingJobEventPage') },
});
