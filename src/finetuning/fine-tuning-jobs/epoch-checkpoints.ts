import { newId } from '../../contract/ids.ts';
import type { FineTuningJob } from '../../domain/fine-tuning/job.ts';
import { hyperparametersOf } from '../../domain/fine-tuning/method.ts';
import { withoutOptimizer } from '../../engine/training/types.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { addFineTuningCheckpoint, findFineTuningCheckpoint } from '../../store/postgres/fine-tuning/checkpoints.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { ModelInTraining } from '../../training/trainer.ts';
import type { JobRun } from '../job-run.ts';
import { makeCheckpoint } from '../new-checkpoint.ts';
import { hasTrained, type MadeSteps } from '../optimizer-step.ts';
import { checkpointMetrics } from './metrics.ts';

type Running = Pick<JobRun, 'events' | 'assertHeld'>;
type AfterStepDeps = { postgres: Postgres; blobs: Blobs };

/** Epochs whose ends have a checkpoint, as in OpenAI's API; the last of them is the end of the job. */
const epochsKept = 3;

/** Makes the checkpoints of a fine-tuning job at the ends of its epochs, except for the one at its own end. */
export function epochCheckpoints(
  deps: AfterStepDeps,
  { run, job, stepsTotal }: { run: Running; job: FineTuningJob; stepsTotal: number },
) {
  const kept = stepsOfEpochs(hyperparametersOf(job.method).n_epochs, stepsTotal);
  return async (model: ModelInTraining, made: MadeSteps): Promise<void> => {
    const step = made.steps.length;
    if (step === stepsTotal || !kept.has(step) || !hasTrained(made)) return;
    await storeCheckpoint(deps, run, job, model, made);
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
  const state = withoutOptimizer(await model.saveState());
  await assertHeld();
  await makeCheckpoint(deps, { projectId, jobId, assertHeld }, { id, state }, () =>
    events.add(event, (db) => addFineTuningCheckpoint(db, { id, jobId, step, metrics })),
  );
}
