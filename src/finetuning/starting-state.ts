import type { FineTuningJob } from '../domain/fine-tuning/job.ts';
import { weightsFile } from '../engine/adapters/peft/names.ts';
import { type TrainedWeights, type TrainingState, withoutOptimizer } from '../engine/training/types.ts';
import { trainedFurther } from '../services/training/jobs.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { type Checkpoint, findCheckpoint } from '../store/postgres/training/checkpoints.ts';
import type { TrainingJob } from '../store/postgres/training/jobs.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import { conflict, notFound } from '../util/failures.ts';
import { readCheckpoint } from './checkpoint-files.ts';
import { type PausedState, readPaused } from './pause.ts';

/** What a job continues from. */
export type StartingState = {
  /** The first of: where the job was paused, the model that it trains further, the checkpoint that it names, the latest one. Null: the base model. */
  from: TrainingState | null;
  paused: PausedState | null;
  /** The model that the job trains further; null for the base model. */
  start: TrainedWeights | null;
  /** The weights with which the first step began; null for those of the base model. Read only for a job that was paused. */
  first(): Promise<TrainedWeights | null>;
  latest: Checkpoint | null;
};

type Run = { job: TrainingJob; model: TrainedModel; fineTuning: FineTuningJob | null };

/** @throws Failure if the model that is to be trained further was deleted, or was trained further while the job was paused */
export async function findStartingState(
  { postgres, blobs }: { postgres: Postgres; blobs: Blobs },
  { job, model, fineTuning }: Run,
): Promise<StartingState> {
  const latest = await findCheckpoint(postgres, model.id, 'latest');
  const start = (await furtherTrained(blobs, fineTuning)) ?? (await namedStart());
  const paused = await readPaused(blobs, { job, model });
  if (paused?.latestId !== undefined && paused.latestId !== (latest?.id ?? null))
    throw conflict(trainedFurther(model.name));
  const from = paused?.state ?? (start ? withoutOptimizer(start) : await checkpointState());
  return { from, paused, start, latest, first: async () => start ?? checkpointState() };

  async function namedStart(): Promise<TrainedWeights | null> {
    const id = job.startsFrom;
    if (id === null || id === 'base' || id === latest?.id) return null;
    const prefix = trainingKeys.checkpoint(model.projectId, id);
    if ((await blobs.size(`${prefix}/${weightsFile}`)) === null)
      throw notFound('The checkpoint that the job starts from was deleted.');
    return withoutOptimizer(await readCheckpoint(blobs, prefix));
  }

  /** The state of the optimizer is kept within one kind of training. */
  async function checkpointState(): Promise<TrainingState | null> {
    if (latest === null || job.startsFrom === 'base') return null;
    const state = await readCheckpoint(blobs, trainingKeys.checkpoint(model.projectId, latest.id));
    return latest.kind === job.kind ? state : withoutOptimizer(state);
  }
}

async function furtherTrained(blobs: Blobs, fineTuning: FineTuningJob | null): Promise<TrainedWeights | null> {
  const { startProjectId: projectId, startCheckpointId: id } = fineTuning ?? {};
  if (!projectId || !id) return null;
  const prefix = trainingKeys.checkpoint(projectId, id);
  if ((await blobs.size(`${prefix}/${weightsFile}`)) === null)
    throw notFound(`The model ${fineTuning!.model} was deleted.`);
  return withoutOptimizer(await readCheckpoint(blobs, prefix));
}
