import { newId } from '../../contract/ids.ts';
import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { addFineTuningCheckpoint, findFineTuningCheckpoint } from '../../store/postgres/fine-tuning/checkpoints.ts';
import { isPaused } from '../../store/postgres/fine-tuning/jobs.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import type { JobRun } from '../job-run.ts';
import { makeCheckpoint } from '../new-checkpoint.ts';
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
    await storePaused(deps, { job, assertHeld: run.assertHeld }, model, made);
    throw new JobPaused();
  };
}

/** The last steps of the epochs that have checkpoints. */
function stepsOfEpochs(epochs: number, stepsTotal: number): Set<number> {
  const ends = Array.from({ length: epochs }, (_, epoch) => Math.ceil((stepsTotal * (epoch + 1)) / epochs));
  return new Set(ends.slice(-epochsKept));
}

/** One that an interrupted run has listed is kept. */
async function storeCheckpoint(
  deps: AfterStepDeps,
  { events, assertHeld }: Running,
  { projectId, id: jobId }: FineTuningJob,
  model: ModelInTraining,
  made: MadeSteps,
): Promise<void> {
  const step = made.steps.length;
  const event = { type: 'checkpoint' as const, data: { step } };
  if (await findFineTuningCheckpoint(deps.postgres, jobId, { step })) return events.add(event); // it is stored, too
  const id = newId();
  const metrics = checkpointMetrics(step, made.steps.at(-1), made.heldOut);
  const state = { adapter: await model.saveWeightsForSampler(), optimizer: null };
  await assertHeld();
  await makeCheckpoint(deps, { projectId, jobId, assertHeld }, { id, state }, () =>
    events.add(event, (db) => addFineTuningCheckpoint(db, { id, jobId, step, metrics })),
  );
}
