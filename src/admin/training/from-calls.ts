import { z } from 'zod';
import { callsSought } from '../../domain/query/calls-sought.ts';
import type { TrainingFromCalls } from '../../finetuning/from-calls/training-from-calls.ts';
import type { Identity } from '../../identity/identity.ts';
import { serverOwnerOf } from '../owner.ts';
import type { Watch } from '../pull/progress.ts';

type Parts = { identity: Identity; trainingFromCalls: TrainingFromCalls };

const wanted = z.object({
  project: z.string(),
  model: z.string().regex(/^[^/:]+$/, 'The name of a model has no slash and no colon'),
  base: z.string().nullable(),
  /** As `experimental_config` of the API. */
  config: z.record(z.string(), z.unknown()),
});

export const previewParams = wanted.extend({
  from: z.string(),
  reward: z.string(),
  groupBy: z.string(),
  limit: z.number().int().min(1),
});

/** A preview of a job's training data, for the owner of the server. */
export async function previewTraining(parts: Parts, params: z.output<typeof previewParams>, watch: Watch) {
  const sought = callsSought(params.from);
  const owner = await serverOwnerOf(parts, params.project, 'read');
  watch.report({ step: 'reading', file: 'calls' });
  return parts.trainingFromCalls.rl.preview({ ...params, ...owner, ...sought }, watch.signal);
}

const trajectory = z.object({ callIds: z.array(z.string()), reward: z.number() });
export const startTrainingParams = wanted.extend({
  chosen: z.array(z.array(trajectory)),
  allowsSuiteRows: z.boolean().default(false),
});

export async function startTraining(parts: Parts, { chosen, ...params }: z.output<typeof startTrainingParams>) {
  const owner = await serverOwnerOf(parts, params.project, 'write');
  return parts.trainingFromCalls.rl.start({ ...params, ...owner }, chosen);
}
