import type { BaseModel } from '../domain/model.ts';
import type { TrainedCall } from '../domain/training/trained-call.ts';
import type { TrainingState } from '../engine/training/types.ts';
import type { Inference } from '../inference/inference.ts';
import type { ModelReader } from '../inference/model-reader.ts';
import type { Completions } from '../services/completions/completions.ts';
import type { Runs } from '../services/runs/runs.ts';
import type { Suites } from '../services/suites/suites.ts';
import { checkpointContent } from '../services/training/checkpoint-artifacts.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Models } from '../store/models/models.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { endJob } from '../store/postgres/training/jobs.ts';
import { saveTrainedCalls } from '../store/postgres/training/jobs-of-call.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import type { Trainer } from '../training/trainer.ts';
import { notFound } from '../util/failures.ts';
import type { Budget } from './budget.ts';
import { checkSuites } from './check-suites.ts';
import { prepareCompletion } from './fine-tuning-jobs/complete.ts';
import { epochCheckpoints } from './fine-tuning-jobs/epoch-checkpoints.ts';
import { checkpointMetrics } from './fine-tuning-jobs/metrics.ts';
import type { JobRun } from './job-run.ts';
import { openJobTrainer } from './job-trainer.ts';
import { makeCheckpoint, newCheckpointId } from './new-checkpoint.ts';
import type { MadeSteps, TrainingInput } from './optimizer-step.ts';
import { pauseAtStart } from './pause.ts';
import { openPauses } from './pauses.ts';
import { prepareJob } from './prepare/prepare-job.ts';
import type { PreparedKind, PreparedOf, PrepareRequest } from './prepare/prepare-worker.ts';
import { recordTraining, type TrainingRecorder } from './record-training.ts';
import type { GradeOutputs } from './rft/grade-outputs.ts';
import { findStartingState, type StartingState } from './starting-state.ts';
import { usageMetrics } from './usage-record.ts';

export type FinetuningDeps = {
  postgres: Postgres;
  blobs: Blobs;
  models: Pick<Models, 'find'>;
  /** See `elsewhere.ts`. */
  isElsewhere(jobId: string, base: BaseModel): Promise<boolean>;
  trainer: Trainer;
  budget: Budget;
  /** How much trainer and sampler may differ (`sampler-check.ts`); null: it is not checked. */
  samplerKlMax: number | null;
  recorder: TrainingRecorder;
  runs: Pick<Runs, 'upsert' | 'find' | 'lines' | 'report'>;
  suites: Pick<Suites, 'checkJob' | 'recordNewer'>;
  completions: Pick<Completions, 'openForTraining'>;
  inference: Pick<Inference, 'unloadAdapter'>;
  modelReader: ModelReader;
  grade: GradeOutputs;
  /** Called before a checkpoint is listed, so that its first answer need not wait. Its step is the next one of its model. */
  serve(model: TrainedModel, checkpointId: string): Promise<void>;
  onDefect(error: unknown): void;
};

/** What a job trains: how its data becomes tokens, and what happens with them. */
type Work<Kind extends PreparedKind> = {
  kind: Kind;
  settings: PrepareRequest<Kind>['settings'];
  /** Warnings about the settings. */
  warnings: string[];
  /** @throws Failure if nothing can be trained */
  check?(prepared: PreparedOf[Kind]): void;
  /** Whether the logprobs that ratios compare with are those of the sampler. */
  hasSampler?: boolean;
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
  start: StartingState['start'];
  first: StartingState['first'];
  latest: StartingState['latest'];
  onStep(metrics: Record<string, number>): Promise<void>;
};

/** Runs a job of any kind: prepares its data, trains, and lists the checkpoint. */
export async function runJob<Kind extends PreparedKind>(
  deps: FinetuningDeps,
  run: JobRun,
  work: Work<Kind>,
): Promise<void> {
  const { job, model, fineTuning, events, signal } = run;
  const base = await deps.models.find(model.baseModel);
  if (!base) throw notFound(`The base model ${model.baseModel} is no longer served.`);

  const suites = await checkSuites(deps, run);
  const { kind, settings } = work;
  const { prepared, validation } = await prepareJob(deps, { job, model, base, kind, settings, signal });
  for (const message of [...work.warnings, ...prepared.warnings])
    await events.add({ type: 'warning', data: { message } });
  work.check?.(prepared);
  await saveTrainedCalls(deps.postgres, job.id, [...prepared.report.calls, ...heldOutCalls(validation)]);
  const started = work.startedData(prepared);
  await events.add({ type: 'training_started', data: started });

  const { from, paused, start, first, latest } = await findStartingState(deps, run);
  if (paused) events.passOver(paused.events);
  const made = paused?.made ?? { steps: [], heldOut: {} };
  const spent = made.steps.length < started.num_sequences ? await deps.budget.spent(model.projectId) : null;
  if (spent !== null) await pauseAtStart(deps.postgres, run, { by: 'budget', reason: spent }, made.steps.length);
  const startedAt = Date.now();
  const pauses = openPauses(deps, run, { paused, latest, klMax: work.hasSampler ? deps.samplerKlMax : null });
  const steps = countSteps(run, made, started.num_sequences);
  const keep = fineTuning && epochCheckpoints(deps, { run, job: fineTuning, stepsTotal: steps.total });
  const trainer = openJobTrainer(deps, run);
  const { state, metrics: ofCheckpoint } = await trainer.whileUsed(() =>
    work.train({
      ...{ trainer: trainer.trainer, base, prepared, validation, start, first, latest, from, made, signal },
      seed: fineTuning?.seed ?? artSeed,
      async afterStep(model, done) {
        await keep?.(model, done);
        await pauses.afterStep(model, done, { isLast: done.steps.length === steps.total });
      },
      async onStep(step) {
        await steps.add({ ...step, ...usageMetrics(await trainer.storeUsage()) });
        await pauses.look(step);
      },
      onWarning: (message) => events.add({ type: 'warning', data: { message } }),
    }),
  );

  await suites.recordNewer();
  const metrics = { ...job.metrics, ...ofCheckpoint };
  await work.ended?.(metrics);
  const last = { step: steps.total, metrics: checkpointMetrics(steps.total, steps.last(), metrics) };
  await run.assertHeld();
  const id = newCheckpointId(run);
  const complete = fineTuning ? await prepareCompletion(deps, fineTuning, job, { id, ...last }) : undefined;
  const step = await publish(deps, run, { id, state, metrics }, complete);
  if (step !== null) recordTraining(deps.recorder, { job, model, step, report: prepared.report, metrics, startedAt });
}

/** The calls of a validation file, none of which is trained on. */
function heldOutCalls(validation: { report: { calls: TrainedCall[] } } | null): TrainedCall[] {
  return (validation?.report.calls ?? []).map((call) => ({ ...call, split: 'validation' }));
}

/** Of ART's own first weights. */
const artSeed = 3407;

/** Stores and reports the steps of a run, after those that it made before it was paused. */
function countSteps({ events, report }: JobRun, made: MadeSteps, total: number) {
  let done = made.steps.length;
  let last = made.steps.at(-1);
  report({ done, total });
  return {
    total,
    /** The metrics of the last step; undefined before the first one. */
    last: () => last,
    async add(metrics: Record<string, number>): Promise<void> {
      await events.add({ type: 'gradient_step', data: metrics });
      last = metrics;
      report({ done: ++done, total });
    },
  };
}

/** @returns the step of the checkpoint; null if the job was canceled or deleted meanwhile */
async function publish(
  deps: FinetuningDeps,
  { job, model, signal, assertHeld }: JobRun,
  { id, state, metrics }: { id: string; state: TrainingState; metrics: Record<string, number> },
  alsoStore?: Parameters<typeof endJob>[3],
): Promise<number | null> {
  signal.throwIfAborted();
  await assertHeld();
  const owner = { projectId: model.projectId, jobId: job.id, assertHeld };
  return makeCheckpoint(deps, owner, { id, state }, async (sizeBytes) => {
    const content = await checkpointContent(deps.blobs, model.projectId, id);
    await deps.serve(model, id).catch(deps.onDefect); // the first request for it would load it too
    return endJob(deps.postgres, job, { id, metrics, sizeBytes, content }, alsoStore, assertHeld);
  });
}
