import { newId, type ProjectId } from '../../contract/ids.ts';
import type { TrajectoryGroup } from '../../contract/trajectories.ts';
import { splitMetrics } from '../../domain/training/split-metrics.ts';
import {
  addMetrics,
  createModel,
  deleteModel,
  findModel,
  findModelByName,
  listModels,
  type TrainedModel,
} from '../../store/postgres/training/models.ts';
import { conflict, notFound } from '../../util/failures.ts';
import { emptyBlobs } from '../artifacts/deleted-blobs.ts';
import type { Deps } from '../deps.ts';
import type { Runs } from '../runs/runs.ts';
import { deleteBlobs, deleteCheckpointBlobs, deleteJobBlobs } from './delete-blobs.ts';
import type { CancelJob } from './jobs.ts';
import { trainingKeys } from './training-keys.ts';
import { trajectoryLines } from './write-trajectories.ts';

export type { TrainedModel };

type NewModel = { projectId: ProjectId; name: string; baseModel: string; createdBy: string; returnExisting: boolean };

/** Trained models: each is a series of adapters over a served base model. */
export type TrainedModels = {
  /** @throws Failure if the name is taken, unless the existing model is accepted and has this base model */
  create(model: NewModel): Promise<TrainedModel>;
  find(id: string): Promise<TrainedModel | null>;
  findByName(projectId: ProjectId, name: string): Promise<TrainedModel | null>;
  list(page: {
    projectId: ProjectId;
    name: string | null;
    after: string | null;
    limit: number;
  }): Promise<TrainedModel[]>;
  /** Deletes a model with its checkpoints, jobs, logged trajectories, and the run of its name. @throws Failure if there is none */
  delete(model: TrainedModel): Promise<{ checkpoints: number; hadRun: boolean }>;
  /** Stores trajectories, and adds the metrics of their split to the latest checkpoint. */
  log(model: TrainedModel, split: string, groups: TrajectoryGroup[]): Promise<void>;
};

export function openTrainedModels(
  deps: Pick<Deps, 'postgres' | 'blobs'>,
  runs: Pick<Runs, 'find' | 'delete'>,
  cancelJob: CancelJob,
): TrainedModels {
  const { postgres, blobs } = deps;
  return {
    async create({ returnExisting, ...given }) {
      const id = newId();
      const model = await createModel(postgres, { id, ...given });
      if (model.id === id) return model;
      if (!returnExisting) throw conflict(`The project already has a model named ${model.name}.`);
      if (model.baseModel === given.baseModel) return model;
      throw conflict(`The model ${model.name} has the base model ${model.baseModel}, not ${given.baseModel}.`);
    },

    find: (id) => findModel(postgres, id),
    findByName: (projectId, name) => findModelByName(postgres, projectId, name),
    list: (page) => listModels(postgres, page),

    async delete({ id, projectId, name }) {
      const deleted = await deleteModel(postgres, id);
      if (deleted === null) throw notFound('Model not found');
      for (const jobId of deleted.jobIds) await cancelJob(jobId);
      await emptyBlobs({ blobs }, deleted.blobKeys);
      for (const jobId of deleted.jobIds) await deleteJobBlobs(deps, projectId, jobId);
      for (const each of deleted.checkpointIds) await deleteCheckpointBlobs(blobs, projectId, each);
      await deleteBlobs(blobs, trainingKeys.logs(projectId, id));
      await deleteBlobs(blobs, trainingKeys.modelRollouts(projectId, id));
      await deleteBlobs(blobs, trainingKeys.tinkerStates(projectId, id));
      const run = await runs.find(projectId, name);
      return { checkpoints: deleted.checkpointIds.length, hadRun: run !== null && (await runs.delete(run)) };
    },

    async log({ id, projectId }, split, groups) {
      await blobs.put(trainingKeys.log(projectId, id, newId()), trajectoryLines(groups, { split }));
      await addMetrics(postgres, id, splitMetrics(split, groups));
    },
  };
}
