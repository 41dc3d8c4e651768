import { type MemoryBudget, MemoryExceeded, type MemoryGrant } from '../../engine/memory/memory-budget.ts';
import { type ModelConfig, UnsupportedModelError } from '../../engine/models/config.ts';
import { hasWeights } from '../../engine/models/open-source.ts';
import type { WithModelFiles } from '../../engine/models/with-model-files.ts';
import { planTraining } from '../../engine/training/plan-training.ts';
import { TrainingDiverged } from '../../engine/training/types.ts';
import { Failure } from '../../util/failures.ts';
import { backgroundProcess } from '../../util/workers/background-process.ts';
import { WorkerClient } from '../../util/workers/worker-client.ts';
import type { TrainedModelSpec } from '../trainer.ts';
import type { TrainerProcess } from './serve-trainer.ts';

/** A process that has a base model open for training, and its memory. */
export type TrainerHost = {
  /** The id of the base model. */
  baseId: string;
  config: ModelConfig;
  worker: WorkerClient<TrainerProcess>;
  grant: MemoryGrant;
};

export type TrainerHostOptions = {
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

/**
 * Starts a process and creates a model in it, with memory for both.
 * @throws WorkerLost, MemoryExceeded, UnsupportedModelError, Failure
 */
export async function startTrainer(
  spec: TrainedModelSpec,
  options: TrainerHostOptions,
  signal?: AbortSignal,
): Promise<TrainerHost> {
  const { memory, withModelFiles, cacheDirectory, threads, niceness, roomMaker = nothingToFree } = options;
  const { base } = spec;
  let grant: MemoryGrant | null = null;
  const file = new URL('./trainer-process.ts', import.meta.url);
  const worker = new WorkerClient<TrainerProcess>(backgroundProcess(file, niceness), {
    errors: [Failure, TrainingDiverged, UnsupportedModelError],
    onEnd: () => grant?.release(),
  });
  try {
    return await endedByAbort(worker, signal, () =>
      withModelFiles(base, async (path) => {
        if (!hasWeights(path)) throw withoutWeights(base.name);
        const config = await worker.request('inspect', path);
        const { bytes } = planTraining(config, spec);
        grant = await grantWithRoom(memory, `training over ${base.name}`, bytes, roomMaker());
        await worker.request('open', { path, session: { cacheDirectory, threads } });
        const host = { baseId: base.id, config, worker, grant };
        await createIn(host, spec);
        return host;
      }),
    );
  } catch (error) {
    (grant as MemoryGrant | null)?.release(); // it may have been granted after the process had ended
    throw error;
  }
}

/** Creates a model in a process that has no other. An error ends the process. @throws as `startTrainer` */
export function reuseTrainer(host: TrainerHost, spec: TrainedModelSpec, signal?: AbortSignal): Promise<void> {
  return endedByAbort(host.worker, signal, () => createIn(host, spec));
}

/** The process keeps the memory of its largest model. */
async function createIn({ config, worker, grant }: TrainerHost, spec: TrainedModelSpec): Promise<void> {
  const { bytes, runTokensMax } = planTraining(config, spec);
  grant.resize(Math.max(grant.bytes, bytes));
  const { base, rank, alpha, seed, sequenceTokensMax } = spec;
  await worker.request('create', { rank, alpha, seed, base: base.name, sequenceTokensMax, runTokensMax });
}

async function endedByAbort<Result>(
  worker: WorkerClient<TrainerProcess>,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const abort = () => void worker.kill();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    await worker.kill();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function withoutWeights(name: string): Failure {
  const message =
    `The weights of ${name} are not on this machine, where it would be trained. Add them to its folder, or train on a Tinker ` +
    'server (HEDDLE_TINKER_URL).';
  return new Failure('invalidInput', message, {}, { rule: message });
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
