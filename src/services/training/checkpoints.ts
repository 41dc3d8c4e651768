import {
  type Checkpoint,
  deleteCheckpoints,
  findCheckpoint,
  listCheckpoints,
} from '../../store/postgres/training/checkpoints.ts';
import { notFound } from '../../util/failures.ts';
import { emptyBlobs } from '../artifacts/deleted-blobs.ts';
import type { Deps } from '../deps.ts';
import { deleteCheckpointBlobs } from './delete-blobs.ts';
import type { TrainedModel } from './models.ts';

type Page = { order: 'asc' | 'desc'; after: string | null; limit: number };

/** The checkpoints of a model, one for each job that ended. */
export type Checkpoints = {
  /** By step. @throws Failure if the model has no checkpoint of the id `after` */
  list(model: TrainedModel, page: Page): Promise<Checkpoint[]>;
  /** The checkpoint of a step, or the one of the highest step. */
  find(model: TrainedModel, step: number | 'latest'): Promise<Checkpoint | null>;
  /** Deletes checkpoints with their files. @returns the steps that existed */
  delete(model: TrainedModel, steps: number[]): Promise<number[]>;
};

export function openCheckpoints({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): Checkpoints {
  return {
    async list({ id: modelId }, { order, after, limit }) {
      const last = after === null ? null : await findCheckpoint(postgres, modelId, { id: after });
      if (after !== null && last === null) throw notFound(`The model has no checkpoint with the id ${after}.`);
      return listCheckpoints(postgres, { modelId, order, afterStep: last?.step ?? null, limit });
    },

    find: ({ id }, step) => findCheckpoint(postgres, id, step === 'latest' ? step : { step }),

    async delete({ id, projectId }, steps) {
      const { checkpoints, blobKeys } = await deleteCheckpoints(postgres, id, steps);
      await emptyBlobs({ blobs }, blobKeys);
      for (const each of checkpoints) await deleteCheckpointBlobs(blobs, projectId, each.id);
      return checkpoints.map(({ step }) => step);
    },
  };
}
