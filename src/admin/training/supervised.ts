import { z } from 'zod';
import { callsSought } from '../../domain/query/calls-sought.ts';
import { parseRef } from '../../domain/refs.ts';
import type { ConversationSource, WantedSft } from '../../finetuning/from-calls/sft-from-calls.ts';
import type { TrainingFromCalls } from '../../finetuning/from-calls/training-from-calls.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Owner } from '../../services/owner.ts';
import { serverOwnerOf } from '../owner.ts';
import type { Watch } from '../pull/progress.ts';

type Parts = { identity: Identity; trainingFromCalls: TrainingFromCalls };

const wanted = z.object({
  project: z.string(),
  model: z.string().regex(/^[^/:]+$/, 'The name of a model has no slash and no colon'),
  base: z.string().nullable(),
  batchSize: z.number().int().nullable(),
  learningRate: z.number().nullable(),
  epochs: z.number().int(),
  schedule: z.enum(['constant', 'linear', 'cosine']),
  warmupSteps: z.int().min(0),
  heldOutShare: z.number(),
  trainsLastAnswer: z.boolean(),
});

const path = z.object({ kind: z.literal('file'), path: z.string() });
/** The name of a dataset in the project, with a version after a colon, or an address as the API takes it. */
const dataset = z.object({ kind: z.literal('dataset'), name: z.string() });
const fromCalls = z.object({ kind: z.literal('calls'), from: z.string(), limit: z.number().int().min(1) });
const chosenCalls = z.object({ kind: z.literal('chosen'), callIds: z.array(z.string()) });

export const previewSupervisedParams = wanted.extend({
  source: z.discriminatedUnion('kind', [path, dataset, fromCalls]),
  examples: z.number().int().min(0),
});

/** A preview of a job's training data, for the owner of the server. */
export async function previewSupervised(
  { identity, trainingFromCalls }: Parts,
  { source, examples, ...params }: z.output<typeof previewSupervisedParams>,
  watch: Watch,
) {
  const owner = await serverOwnerOf({ identity }, params.project, source.kind === 'calls' ? 'read' : 'write');
  watch.report({ step: 'reading', file: source.kind === 'calls' ? 'calls' : 'conversations' });
  return trainingFromCalls.sft.preview(jobOf(params, owner), sourceOf(source, owner), examples, watch.signal);
}

export const startSupervisedParams = wanted.extend({
  source: z.discriminatedUnion('kind', [path, dataset, chosenCalls]),
  allowsSuiteRows: z.boolean().default(false),
});

export async function startSupervised(
  { identity, trainingFromCalls }: Parts,
  { source, allowsSuiteRows, ...params }: z.output<typeof startSupervisedParams>,
) {
  const owner = await serverOwnerOf({ identity }, params.project, 'write');
  const wanted = { ...jobOf(params, owner), allowsSuiteRows };
  return trainingFromCalls.sft.start(wanted, source.kind === 'chosen' ? source : sourceOf(source, owner));
}

function jobOf(params: z.output<typeof wanted>, owner: Owner): WantedSft {
  const { model, base, batchSize, learningRate, schedule, warmupSteps, epochs, heldOutShare, trainsLastAnswer } =
    params;
  return {
    ...{ ...owner, model, base },
    config: {
      batch_size: batchSize,
      learning_rate: learningRate,
      assistant_turns: trainsLastAnswer ? 'last' : null,
      metric_logging: null,
    },
    experimental_config: {
      held_out_share: heldOutShare,
      epochs,
      learning_rate_schedule: schedule,
      warmup_steps: warmupSteps,
    },
  };
}

function sourceOf(
  source: z.output<typeof path | typeof dataset | typeof fromCalls>,
  { project }: Owner,
): ConversationSource {
  switch (source.kind) {
    case 'file':
      return source;
    case 'calls':
      return { kind: 'calls', limit: source.limit, ...callsSought(source.from) };
    case 'dataset':
      return { kind: 'address', address: addressOf(source.name, project.name) };
    default:
      return source satisfies never;
  }
}

function addressOf(name: string, project: string): string {
  if (parseRef(name) || name.includes(':///')) return name;
  return `weave:///${project}/object/${name.includes(':') ? name : `${name}:latest`}`;
}
