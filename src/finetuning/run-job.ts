import type { FineTuningJob } from '../domain/fine-tuning/job.ts';
import type { Model } from '../domain/model.ts';
import type { Adapter } from '../engine/adapters/adapter.ts';
import { weightsFile } from '../engine/adapters/peft/names.ts';
import type { TrainingState } from '../engine/training/types.ts';
import type { Inference } from '../inference/inference.ts';
import type { Completions } from '../services/completions/completions.ts';
import type { Runs } from '../services/runs/runs.ts';
import { checkpointContent } from '../services/training/checkpoint-artifacts.ts';
import { deleteCheckpointBlobs } from '../services/training/delete-blobs.ts';
import { storeRollouts } from '../services/training/rollouts.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Models } from '../store/models/models.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { type Checkpoint, findCheckpoint } from '../store/postgres/training/checkpoints.ts';
import { endJob, type TrainingJob } from '../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import type { Trainer } from '../training/trainer.ts';
import { notFound } from '../util/failures.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint-files.ts';
import { afterStepOf } from './fine-tuning-jobs/after-step.ts';
import { prepareCompletion } from './fine-tuning-jobs/complete.ts';
import { checkpointMetrics } from './fine-tuning-jobs/metrics.ts';
import { readPaused } from './fine-tuning-jobs/pause.ts';
import type { JobEvents } from './job-events.ts';
import type { TrainingInput } from './optimizer-step.ts';
import { prepareInThread } from './prepare/prepare.ts';
import type { PreparedKind, PreparedOf, PrepareRequest } from './prepare/prepare-worker.ts';
import { recordTraining, type TrainingRecorder } from './record-training.ts';
import type { GradeOutputs } from './rft/grade-outputs.ts';

export type FinetuningDeps = {
  postgres: Postgres;
  blobs: Blobs;
  models: Pick<Models, 'find'>;
  trainer: Trainer;
  recorder: TrainingRecorder;
  runs: Pick<Runs, 'upsert' | 'find' | 'lines' | 'report'>;
  completions: Pick<Completions, 'openForTraining'>;
  inference: Pick<Inference, 'unloadAdapter'>;
  grade: GradeOutputs;
  /** Called before a checkpoint is listed, so that its first answer need not wait. */
  serve(model: TrainedModel, checkpointId: string): Promise<void>;
  onDefect(error: unknown): void;
};

/** A job to run. */
export type JobRun = {
  job: TrainingJob;
  model: TrainedModel;
  /** Null for jobs that were not created with OpenAI's API. */
  fineTuning: FineTuningJob | null;
  events: JobEvents;
  signal: AbortSignal;
  report(progress: { done: number; total: number }): void;
};

/** What a job trains: how its data becomes tokens, and what happens with them. */
type Work<Kind extends PreparedKind> = {
  kind: Kind;
  settings: PrepareRequest<Kind>['settings'];
  /** Warnings about the settings. */
  warnings: string[];
  /** @throws Failure if nothing can be trained */
  check?(prepared: PreparedOf[Kind]): void;
  /** Of `training_started`; clients read `num_sequences`, the number of steps. */
  startedData(prepared: PreparedOf[Kind]): { num_sequences: number } & Record<string, unknown>;
  /** @returns the new state, and the metrics of the checkpoint */
  train(input: Prepared<Kind>): Promise<{ state: TrainingState; metrics: Record<string, number> }>;
  /** Further metrics of the finished job. */
  ended?(metrics: Record<string, number>): Promise<void>;
};

type Prepared<Kind extends PreparedKind> = TrainingInput & {
  prepared: PreparedOf[Kind];
  /** What the model is validated on, if that is a file of its own. */
  validation: PreparedOf[Kind] | null;
  baseModel: Model;
  /** The model that was to be trained further; null for the base model. */
  start: Adapter | null;
  latest: Checkpoint | null;
  onStep(metrics: Record<string, number>): Promise<void>;
};

/** Runs a job of any kind: prepares its data, trains, and lists the checkpoint. */
export async function runJob<Kind extends PreparedKind>(
  deps: FinetuningDeps,
  run: JobRun,
  work: Work<Kind>,
): Promise<void> {
  const { postgres, blobs, models, trainer } = deps;
  const { job, model, fineTuning, events, signal, report } = run;
  const base = await models.find(model.baseModel);
  if (!base) throw notFound(`The base model ${model.baseModel} is no longer served.`);
  const data = await blobs.get(trainingKeys.jobData(model.projectId, job.id));
  if (!data) throw notFound('The data of the job was deleted.');
  const request: PrepareRequest<Kind> = {
    kind: work.kind,
    settings: work.settings,
    modelPath: base.path,
    contextLength: base.contextLength,
    seed: seedOf(job.id),
    now: job.createdAt.getTime(),
    rollouts: rolloutsKept,
  };
  const prepared = await prepareInThread(data.stream, request, signal);
  if ('rollouts' in prepared) {
    const key = trainingKeys.rollouts(model.projectId, model.id, job.id);
    await storeRollouts(blobs, key, prepared.rollouts);
  }
  const validation = await prepareValidation(blobs, run, request, signal);
  const warnings = [...work.warnings, ...prepared.warnings];
  for (const message of warnings) await events.add({ type: 'warning', data: { message } });
  work.check?.(prepared);
  const started = work.startedData(prepared);
  const total = started.num_sequences;
  await events.add({ type: 'training_started', data: started });

  const latest = await findCheckpoint(postgres, model.id, 'latest');
  const start = await startOf(blobs, fineTuning);
  const paused = fineTuning && (await readPaused(blobs, fineTuning));
  const from =
    paused?.state ??
    (start ? { adapter: start, optimizer: null } : latest && (await stateOf(blobs, model, latest, job)));
  if (paused) events.passOver(paused.events);
  const startedAt = Date.now();
  let done = paused?.made.steps.length ?? 0;
  let lastStep = paused?.made.steps.at(-1);
  report({ done, total });
  const { state, metrics } = await work.train({
    trainer,
    base: { path: base.path, name: base.name },
    baseModel: base,
    prepared,
    validation,
    start,
    from,
    seed: fineTuning?.seed ?? artSeed,
    made: paused?.made ?? { steps: [], heldOut: {} },
    latest,
    signal,
    afterStep: fineTuning ? afterStepOf(deps, { job: fineTuning, events, stepsTotal: total }) : async () => {},
    async onStep(step) {
      await events.add({ type: 'gradient_step', data: step });
      lastStep = step;
      report({ done: ++done, total });
    },
  });
  const all = { ...job.metrics, ...metrics };
  await work.ended?.(all);
  const last = { step: total, metrics: checkpointMetrics(total, lastStep, all) };
  const complete = fineTuning ? await prepareCompletion(deps, fineTuning, job, last) : undefined;
  const step = await publish(deps, run, state, all, complete);
  if (step === null) return;
  recordTraining(deps.recorder, { job, model, step, report: prepared.report, metrics: all, startedAt });
}

/**
 * The files first, then the record: a checkpoint that is listed is whole. Its id is the job's, which makes only one.
 * @returns its step; null if the job is over
 */
async function publish(
  { postgres, blobs, serve, onDefect }: FinetuningDeps,
  { job, model, signal }: JobRun,
  state: TrainingState,
  metrics: Record<string, number>,
  alsoStore?: Parameters<typeof endJob>[3],
): Promise<number | null> {
  signal.throwIfAborted();
  const prefix = trainingKeys.checkpoint(model.projectId, job.id);
  const sizeBytes = await writeCheckpoint(blobs, prefix, state);
  const content = await checkpointContent(blobs, model.projectId, job.id);
  await serve(model, job.id).catch(onDefect); // the first request for it would load it too
  const step = await endJob(postgres, job, { id: job.id, metrics, sizeBytes, content }, alsoStore);
  if (step === null) await deleteCheckpointBlobs(blobs, model.projectId, job.id); // it was canceled or deleted meanwhile
  return step;
}

const rolloutsKept = { stepsMax: 100, perStepMax: 8 };
const none = { stepsMax: 0, perStepMax: 0 };

/** The same data settings, on the file that the model is validated on. */
async function prepareValidation<Kind extends PreparedKind>(
  blobs: Blobs,
  { job, model }: JobRun,
  request: PrepareRequest<Kind>,
  signal: AbortSignal,
): Promise<PreparedOf[Kind] | null> {
  const data = await blobs.get(trainingKeys.validationData(model.projectId, job.id));
  if (data === null) return null;
  const settings = { ...request.settings, epochs: 1 };
  return prepareInThread(data.stream, { ...request, settings, isValidation: true, rollouts: none }, signal);
}

/** The adapter of the model that a job trains further. */
async function startOf(blobs: Blobs, fineTuning: FineTuningJob | null): Promise<Adapter | null> {
  const { startProjectId: projectId, startCheckpointId: id } = fineTuning ?? {};
  if (!projectId || !id) return null;
  const prefix = trainingKeys.checkpoint(projectId, id);
  if ((await blobs.size(`${prefix}/${weightsFile}`)) === null)
    throw notFound(`The model ${fineTuning!.model} was deleted.`);
  return (await readCheckpoint(blobs, prefix)).adapter;
}

/** Of ART's own first weights. */
const artSeed = 3407;

/** The state to continue from. The optimizer's is kept within one kind of training. */
async function stateOf(blobs: Blobs, model: TrainedModel, { id, kind }: Checkpoint, job: TrainingJob) {
  const state = await readCheckpoint(blobs, trainingKeys.checkpoint(model.projectId, id));
  return kind === job.kind ? state : { ...state, optimizer: null };
}

/** The same for each run of a job. */
function seedOf(jobId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${jobId.replaceAll('-', '')}`));
}
