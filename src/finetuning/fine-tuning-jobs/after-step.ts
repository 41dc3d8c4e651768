import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import { trainingKeys } from '../../services/training/training-keys.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { addFineTuningCheckpoint } from '../../store/postgres/fine-tuning/checkpoints.ts';
import { isPaused } from '../../store/postgres/fine-tuning/jobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import { writeCheckpoint } from '../checkpoint-files.ts';
import type { JobRun } from '../job-run.ts';
import { hasTrained, type MadeSteps } from '../optimizer-step.ts';
import { checkpointMetrics } from './metrics.ts';
import { JobPaused, storePaused } from './pause.ts';

type Running = Pick<JobRun, 'events' | 'assertHeld'>;
type AfterStepDeps = { postgres: Postgres; blobs: Blobs };

/** Epochs whose ends have a checkpoint, as in OpenAI's API; the last of them is the end of the job. */
const epochsKept = 3;

/**
 * What the steps of a fine-tuning job do beside training: those at the end of an epoch make a checkpoint, and one during
 * which the job was paused ends the run.
 */
export function afterStepOf(
  deps: AfterStepDeps,
  { run, job, stepsTotal }: { run: Running; job: FineTuningJob; stepsTotal: number },
) {
  const kept = stepsOfEpochs(hyperparametersOf(job.method).n_epochs, stepsTotal);
  return async (model: ModelInTraining, made: MadeSteps): Promise<void> => {
    const step = made.steps.length;
    if (step === stepsTotal) return; // the job ends with a checkpoint
    if (kept.has(step) && hasTrained(made)) await storeCheckpoint(deps, run, job, model, made);
    if (!(await isPaused(deps.postgres, job.id))) return;
    await run.assertHeld();
    await storePaused(deps, job, model, made);
    throw new JobPaused();
  };
}

/** The last steps of the epochs that have checkpoints. */
function stepsOfEpochs(epochs: number, stepsTotal: number): Set<number> {
  const ends = Array.from({ length: epochs }, (_, epoch) => Math.ceil((stepsTotal * (epoch + 1)) / epochs));
  return new Set(ends.slice(-epochsKept));
}

/** The files first. A run that was interrupted writes the same checkpoint again. */
async function storeCheckpoint(
  { blobs }: AfterStepDeps,
  { events, assertHeld }: Running,
  job: FineTuningJob,
  model: ModelInTraining,
  made: MadeSteps,
): Promise<void> {
  const step = made.steps.length;
  const id = idOfStep(job.id, step);
  const metrics = checkpointMetrics(step, made.steps.at(-1), made.heldOut);
  const adapter = await model.saveWeightsForSampler();
  await assertHeld();
  await writeCheckpoint(blobs, trainingKeys.checkpoint(job.projectId, id), { adapter, optimizer: null });
  await events.add({ type: 'checkpoint', data: { step } }, (db) =>
    addFineTuningCheckpoint(db, { id, jobId: job.id, step, metrics }),
  );
}

/** A UUID that belongs to this step: that of the job with another random part. */
function idOfStep(jobId: string, step: number): string {
  const random = BigInt(`0x${jobId.slice(-12)}`);
  const mixed = BigInt.asUintN(48, random + BigInt(step) * 0x9e3779b97f4bn);
  return jobId.slice(0, -12) + mixed.toString(16).padStart(12, '0');
}
