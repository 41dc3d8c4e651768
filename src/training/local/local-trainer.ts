import { type MemoryBudget, MemoryExceeded, type MemoryGrant } from '../../engine/memory/memory-budget.ts';
import { UnsupportedModelError } from '../../engine/models/config.ts';
import type { WithModelFiles } from '../../engine/models/with-model-files.ts';
import { planTraining } from '../../engine/training/plan-training.ts';
import { TrainingDiverged } from '../../engine/training/types.ts';
import { Failure } from '../../util/failures.ts';
import { backgroundProcess } from '../../util/workers/background-process.ts';
import { WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import type { ModelInTraining, TrainedModelSpec, Trainer } from '../trainer.ts';
import type { TrainerProcess } from './serve-trainer.ts';

export type LocalTrainerOptions = {
  memory: MemoryBudget;
  withModelFiles: WithModelFiles;
  /** The directory of weights in the form that is mapped into memory; the engine's own. */
  cacheDirectory: string;
  /** Left out, one for each processor. */
  threads?: number;
  /** How far the priority of training is below this process, so that chat keeps responding. */
  niceness: number;
  /** The function frees more of the memory with each call, and resolves to false if there is nothing left to free. */
  roomMaker?: () => () => Promise<boolean>;
};

/** How long a process may take to finish its run and close. */
const closeMsMax = 5_000;

/** Trains on this machine, each model in a separate process. */
export function localTrainer(options: LocalTrainerOptions): Trainer {
  return { createModel: (spec, signal) => createModel(spec, options, signal) };
}

async function createModel(
  spec: TrainedModelSpec,
  { memory, withModelFiles, cacheDirectory, threads, niceness, roomMaker = nothingToFree }: LocalTrainerOptions,
  signal?: AbortSignal,
): Promise<ModelInTraining> {
  signal?.throwIfAborted();
  let grant: MemoryGrant | null = null;
  let isClosed = false;
  const file = new URL('./trainer-process.ts', import.meta.url);
  const worker = new WorkerClient<TrainerProcess>(backgroundProcess(file, niceness), {
    errors: [Failure, TrainingDiverged, UnsupportedModelError],
    onEnd(_, isExpected) {
      isClosed = isExpected;
      grant?.release();
    },
  });
  const abort = () => void worker.kill();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await withModelFiles(spec.base, async (path) => {
      const config = await worker.request('inspect', path);
      const { bytes, runTokensMax } = planTraining(config, spec);
      grant = await grantWithRoom(memory, `training over ${spec.base.name}`, bytes, roomMaker());
      signal?.throwIfAborted();
      const { rank, alpha, seed, sequenceTokensMax } = spec;
      const model = { rank, alpha, seed, base: spec.base.name, sequenceTokensMax, runTokensMax };
      await worker.request('open', { path, session: { cacheDirectory, threads }, model });
    });
  } catch (error) {
    await worker.kill();
    signal?.throwIfAborted();
    throw refusal(error as Error, spec.base.name);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  const failing = (error: Error): never => {
    if (isClosed) throw new Failure('unavailable', 'The model in training was closed.');
    throw error instanceof WorkerLost ? crash(error, spec.base.name) : error;
  };
  return {
    forward: (rows, through, signal) => worker.request('forward', { rows, through }, { signal }).catch(failing),
    forwardBackward: (rows, loss, signal) =>
      worker.request('forwardBackward', { rows, loss }, { signal }).catch(failing),
    optimStep: (options) => worker.request('optimStep', options).catch(failing),
    saveState: () => worker.request('saveState', undefined as never).catch(failing),
    loadState: (state) => worker.request('loadState', state).catch(failing),
    saveWeightsForSampler: () => worker.request('saveWeightsForSampler', undefined as never).catch(failing),
    close: () => worker.close(closeMsMax),
  };
}

const nothingToFree = () => async () => false;

async function grantWithRoom(
  memory: MemoryBudget,
  holder: string,
  bytes: number,
  makeRoom: () => Promise<boolean>,
): Promise<MemoryGrant> {
  while (true) {
    try {
      return memory.grant(holder, bytes);
    } catch (error) {
      if (!(error instanceof MemoryExceeded) || !(await makeRoom())) throw error;
    }
  }
}

function refusal(error: Error, base: string): Error {
  if (error instanceof WorkerLost) return crash(error, base);
  const isRefusal = error instanceof MemoryExceeded || error instanceof UnsupportedModelError;
  return isRefusal ? new Failure('invalidInput', error.message, {}, { cause: error }) : error;
}

function crash({ end }: WorkerLost, base: string): Failure {
  const message = `The process that trains over ${base} ended ${end?.how ?? 'early'}.`;
  return new Failure('unavailable', message, {}, { cause: end?.cause, rule: message });
}
