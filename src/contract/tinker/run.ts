import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { int } from '../wire.ts';
import { checkpoint, checkpoints, cursor } from './checkpoint.ts';
import { id, pageQuery, tinker } from './shared.ts';

const run = z
  .object({
    training_run_id: z.string(),
    base_model: z.string(),
    model_owner: z.string(),
    is_lora: z.boolean(),
    corrupted: z.boolean(),
    lora_rank: int(),
    last_request_time: z.string(),
    last_checkpoint: checkpoint.nullable(),
    last_sampler_checkpoint: checkpoint.nullable(),
    user_metadata: z.record(z.string(), z.string()).nullable(),
    /** The trained model of heddle that shows the run. */
    model_id: z.string(),
  })
  .meta({ id: 'TinkerRun' });

export type TinkerRunAnswer = z.output<typeof run>;

const path = '/api/v1/training_runs';
const runParams = z.object({ run_id: id });

export const tinkerRunList = defineEndpoint({
  ...tinker,
  method: 'GET',
  path,
  name: 'List Tinker Runs',
  description: "The models that the caller's Tinker clients train or have trained, the newest first.",
  query: pageQuery,
  answer: { kind: 'json', schema: z.object({ training_runs: z.array(run), cursor }).meta({ id: 'TinkerRuns' }) },
});

export const tinkerRunRead = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: `${path}/{run_id}`,
  name: 'Read Tinker Run',
  description: 'A model that a Tinker client trains or has trained.',
  params: runParams,
  answer: { kind: 'json', schema: run },
});

export const tinkerRunCheckpoints = defineEndpoint({
  ...tinker,
  method: 'GET',
  path: `${path}/{run_id}/checkpoints`,
  name: 'List Tinker Checkpoints of a Run',
  description: 'What was saved of a run, the newest first.',
  params: runParams,
  answer: { kind: 'json', schema: checkpoints },
});
