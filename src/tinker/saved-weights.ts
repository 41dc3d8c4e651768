import { newId, type ProjectId } from '../contract/ids.ts';
import { configFile, weightsFile } from '../engine/adapters/peft/names.ts';
import type { TrainingState } from '../engine/training/types.ts';
import { readCheckpoint, writeCheckpoint } from '../finetuning/checkpoint-files.ts';
import type { Caller, Identity } from '../identity/identity.ts';
import { deleteBlobs } from '../services/training/delete-blobs.ts';
import type { Training } from '../services/training/training.ts';
import { trainingKeys } from '../services/training/training-keys.ts';
import type { Blobs } from '../store/blobs/blobs.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import {
  addTinkerCheckpoint,
  deleteTinkerCheckpoint,
  expiredTinkerCheckpoints,
  findTinkerCheckpoint,
  listTinkerCheckpoints,
  listTinkerCheckpointsOf,
  setExpiryOfTinkerCheckpoint,
  type TinkerCheckpoint,
} from '../store/postgres/tinker/checkpoints.ts';
import { findTinkerRun, listTinkerRuns, type TinkerRun } from '../store/postgres/tinker/runs.ts';
import { stepOfCheckpoint } from '../store/postgres/training/checkpoints.ts';
import type { TrainedModel } from '../store/postgres/training/models.ts';
import { conflict, invalidInput, notFound } from '../util/failures.ts';
import { storeArchive } from './archive.ts';
import { type CheckpointKind, type CheckpointPath, checkName, checkpointId, readPath } from './paths.ts';
import type { RunJob } from './run-job.ts';

export type SavedWeightsDeps = {
  postgres: Postgres;
  blobs: Blobs;
  identity: Pick<Identity, 'readableProjectName'>;
  checkpoints: Training['checkpoints'];
};

export type NewSave = {
  runId: string;
  name: string;
  ttlSeconds: number | null;
  userMetadata: Record<string, string> | null;
  /** Replaces the weights of this name. */
  overwrites: boolean;
};

/** Saved weights with their run, for a caller who may read them. */
export type FoundWeights = { run: TinkerRun; checkpoint: TinkerCheckpoint; prefix: string };

export type SavedCheckpoint = TinkerCheckpoint;
/** A run with what was saved of it, the newest first. */
export type SavedRun = { run: TinkerRun; checkpoints: TinkerCheckpoint[] };

type Page = { offset: number; limit: number };

const ttlSecondsMin = 3600;
const ttlSecondsMax = 10 * 366 * 24 * 3600;

/** What clients saved, by path. */
export class SavedWeights {
  readonly #deps: SavedWeightsDeps;

  constructor(deps: SavedWeightsDeps) {
    this.#deps = deps;
  }

  /** Saves a state that nothing serves: to continue from, or to download. @returns its size */
  async saveState(
    { id: modelId, projectId }: TrainedModel,
    kind: Exclude<CheckpointKind, 'sampler'>,
    save: NewSave,
    state: TrainingState,
  ): Promise<number> {
    await this.#checkFree(kind, save);
    const id = newId();
    const prefix = trainingKeys.tinkerState(projectId, modelId, id);
    const sizeBytes = await writeCheckpoint(this.#deps.blobs, prefix, state);
    if (save.overwrites) await this.#deleteNamed(kind, save);
    await this.#list(this.#deps.postgres, kind, save, { id, checkpointId: null, sizeBytes });
    return sizeBytes;
  }

  /** Saves weights as a checkpoint of the trained model, which is served from then on. */
  async saveForSampler(job: RunJob, save: NewSave, state: TrainingState): Promise<{ id: string; step: number }> {
    await this.#checkFree('sampler', save);
    return job.addCheckpoint({ ...state, optimizer: null }, (postgres, { id, sizeBytes }) =>
      this.#list(postgres, 'sampler', save, { id, checkpointId: id, sizeBytes }),
    );
  }

  /** @throws Failure for a path that does not exist, or that the caller may not read */
  async find(caller: Caller, path: string | CheckpointPath): Promise<FoundWeights> {
    const wanted = typeof path === 'string' ? readPath(path) : path;
    const run = await this.findRun(caller, wanted.runId);
    const checkpoint = run && (await findTinkerCheckpoint(this.#deps.postgres, wanted));
    if (!checkpoint) throw notFound(`There are no weights ${checkpointId(wanted)} of the run ${wanted.runId}.`);
    return { run, checkpoint, prefix: prefixOf(run, checkpoint) };
  }

  /** @throws Failure for a run that does not exist, or that the caller may not read */
  async findRun(caller: Caller, id: string): Promise<TinkerRun> {
    const run = await findTinkerRun(this.#deps.postgres, id);
    const isReadable = run && (await this.#deps.identity.readableProjectName(caller, run.projectId));
    if (!isReadable) throw notFound(`There is no training run ${id}.`);
    return run;
  }

  /** @throws as `findRun` */
  async readRun(caller: Caller, id: string): Promise<SavedRun> {
    const run = await this.findRun(caller, id);
    return { run, checkpoints: await listTinkerCheckpoints(this.#deps.postgres, [id]) };
  }

  /** The runs of a user, the newest first, of one project or of all. */
  async listRuns(
    { userId }: Caller,
    page: Page & { projectId: string | null },
  ): Promise<{ runs: SavedRun[]; total: number }> {
    const { runs, total } = await listTinkerRuns(this.#deps.postgres, { userId, ...page });
    const checkpoints = await listTinkerCheckpoints(
      this.#deps.postgres,
      runs.map(({ id }) => id),
    );
    const of = (id: string) => checkpoints.filter(({ runId }) => runId === id);
    return { runs: runs.map((run) => ({ run, checkpoints: of(run.id) })), total };
  }

  /** What the clients of a user saved, the newest first. */
  listCheckpoints({ userId }: Caller, page: Page): Promise<{ checkpoints: SavedCheckpoint[]; total: number }> {
    return listTinkerCheckpointsOf(this.#deps.postgres, { userId, ...page });
  }

  /** @param ttlSeconds null: they never expire */
  async setExpiry({ checkpoint }: FoundWeights, ttlSeconds: number | null): Promise<void> {
    checkTtl(ttlSeconds);
    await setExpiryOfTinkerCheckpoint(this.#deps.postgres, checkpoint.id, expiryOf(ttlSeconds));
  }

  /** The key of the files of an adapter as one `.tar.gz`, which is stored now if it is not yet. */
  async archive(found: FoundWeights): Promise<string> {
    const key = `${found.prefix}/archive.tar.gz`;
    await storeArchive(this.#deps.blobs, key, await this.files(found));
    return key;
  }

  /** @param withOptimizer false: the optimizer starts anew */
  async read({ prefix, checkpoint }: FoundWeights, withOptimizer: boolean): Promise<TrainingState> {
    const state = await readCheckpoint(this.#deps.blobs, prefix);
    if (!withOptimizer) return { ...state, optimizer: null };
    if (state.optimizer) return state;
    throw invalidInput(
      `The weights ${checkpointId(checkpoint)} have no state of the optimizer. Load them without it, or save with save_state.`,
    );
  }

  async delete({ run, checkpoint, prefix }: FoundWeights): Promise<void> {
    const { postgres, blobs, checkpoints } = this.#deps;
    const { checkpointId: served } = checkpoint;
    await deleteTinkerCheckpoint(postgres, checkpoint.id);
    if (served === null) return deleteBlobs(blobs, prefix);
    const step = await stepOfCheckpoint(postgres, served);
    if (step !== null) await checkpoints.delete(modelOf(run), [step]);
  }

  async deleteExpired(): Promise<void> {
    for (const checkpoint of await expiredTinkerCheckpoints(this.#deps.postgres)) {
      const run = await findTinkerRun(this.#deps.postgres, checkpoint.runId);
      if (run) await this.delete({ run, checkpoint, prefix: prefixOf(run, checkpoint) });
    }
  }

  /** The files of an adapter, without the state of the optimizer. */
  async files({ prefix }: FoundWeights): Promise<{ name: string; key: string; sizeBytes: number }[]> {
    const found = [];
    for (const name of [configFile, weightsFile]) {
      const key = `${prefix}/${name}`;
      found.push({ name, key, sizeBytes: (await this.#deps.blobs.size(key)) ?? missing() });
    }
    return found;
  }

  async #checkFree(kind: CheckpointKind, { runId, name, ttlSeconds, overwrites }: NewSave): Promise<void> {
    checkName(name);
    checkTtl(ttlSeconds);
    const existing = await findTinkerCheckpoint(this.#deps.postgres, { runId, kind, name });
    if (existing && !overwrites) throw taken(kind, name);
  }

  async #deleteNamed(kind: CheckpointKind, { runId, name }: NewSave): Promise<void> {
    const { postgres } = this.#deps;
    const run = await findTinkerRun(postgres, runId);
    const checkpoint = await findTinkerCheckpoint(postgres, { runId, kind, name });
    if (run && checkpoint) await this.delete({ run, checkpoint, prefix: prefixOf(run, checkpoint) });
  }

  async #list(
    postgres: Pick<Postgres, 'db'>,
    kind: CheckpointKind,
    { runId, name, ttlSeconds, userMetadata }: NewSave,
    made: { id: string; checkpointId: string | null; sizeBytes: number },
  ): Promise<void> {
    const expiresAt = expiryOf(ttlSeconds);
    const isAdded = await addTinkerCheckpoint(postgres, { ...made, runId, kind, name, userMetadata, expiresAt });
    if (!isAdded) throw taken(kind, name);
  }
}

function checkTtl(seconds: number | null): void {
  if (seconds === null || (seconds >= ttlSecondsMin && seconds <= ttlSecondsMax)) return;
  throw invalidInput(`ttl_seconds must be from ${ttlSecondsMin} to ${ttlSecondsMax}.`, { param: 'ttl_seconds' });
}

function expiryOf(ttlSeconds: number | null): Date | null {
  return ttlSeconds === null ? null : new Date(Date.now() + ttlSeconds * 1000);
}

function prefixOf({ projectId, modelId }: TinkerRun, { id, checkpointId: served }: TinkerCheckpoint): string {
  return served === null
    ? trainingKeys.tinkerState(projectId as ProjectId, modelId, id)
    : trainingKeys.checkpoint(projectId, served);
}

function modelOf({ modelId: id, projectId, baseModel }: TinkerRun): TrainedModel {
  return { id, projectId, baseModel, name: '' };
}

function taken(kind: CheckpointKind, name: string) {
  return conflict(`The run already has ${checkpointId({ kind, name })}. Choose another name.`);
}

function missing(): never {
  throw notFound('The files of these weights were deleted.');
}
