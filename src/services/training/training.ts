import type { Deps } from '../deps.ts';
import type { Runs } from '../runs/runs.ts';
import { type Checkpoints, openCheckpoints } from './checkpoints.ts';
import type { DataResolver } from './data/resolve-data.ts';
import { type JobRunner, openTrainingJobs, type TrainingJobs } from './jobs.ts';
import { openTrainedModels, type TrainedModels } from './models.ts';

/** Operations that train models in a project. */
export type Training = {
  models: TrainedModels;
  checkpoints: Checkpoints;
  jobs: TrainingJobs;
};

/** @param resolvers find the data of supervised training */
export function openTraining(
  deps: Pick<Deps, 'postgres' | 'blobs'> & { runs: Runs },
  runner: JobRunner,
  resolvers: readonly DataResolver[],
): Training {
  return {
    models: openTrainedModels(deps, deps.runs, runner.cancel),
    checkpoints: openCheckpoints(deps),
    jobs: openTrainingJobs(deps, runner, resolvers),
  };
}
