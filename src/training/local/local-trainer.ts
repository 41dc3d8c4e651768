import { MemoryExceeded } from '../../engine/memory/memory-budget.ts';
import { UnsupportedModelError } from '../../engine/models/config.ts';
import type { TrainingRow } from '../../engine/training/row.ts';
import { Failure } from '../../util/failures.ts';
import { type WorkerClient, WorkerLost } from '../../util/workers/worker-client.ts';
import type { ModelInTraining, TrainedModelSpec, Trainer } from '../trainer.ts';
import { UsageMeter } from '../usage-meter.ts';
import { type KeptTrainer, keepTrainer } from './kept-trainer.ts';
import type { TrainerProcess } from './serve-trainer.ts';
import { reuseTrainer, startTrainer, type TrainerHost, type TrainerHostOptions } from './trainer-host.ts';

export type LocalTrainerOptions = TrainerHostOptions & {
  /** How long a process waits for the next model over its base. Left out, it ends with its model. */
  idleMsMax?: number;
};

export type LocalTrainer = Trainer & {
  /** Ends a process that waits if its base model is not listed any more. @param list the ids of those that are served */
  closeRemoved(list: () => Promise<ReadonlySet<string>>): Promise<void>;
  /** Ends a process that waits. Models in training go on until they are closed. */
  close(): Promise<void>;
};

/** Trains on this machine, each model in a separate process, which the next model over the same base may use after it. */
export function localTrainer({ idleMsMax = 0, ...options }: LocalTrainerOptions): LocalTrainer {
  const kept = keepTrainer(idleMsMax);
  return {
    async createModel(spec, signal) {
      signal?.throwIfAborted();
      try {
        const host = (await reuse(kept, spec, signal)) ?? (await startTrainer(spec, options, signal));
        return modelInTraining(host.worker, spec.base.name, () => kept.give(host));
      } catch (error) {
        signal?.throwIfAborted();
        throw refusal(error as Error, spec.base.name);
      }
    },
    closeRemoved: kept.endRemoved,
    close: kept.close,
  };
}

/** @returns null if no process was kept, or it cannot be used: a new one can, or says why not */
async function reuse(kept: KeptTrainer, spec: TrainedModelSpec, signal?: AbortSignal): Promise<TrainerHost | null> {
  const host = await kept.take(spec.base.id);
  if (host === null) return null;
  try {
    await reuseTrainer(host, spec, signal);
    return host;
  } catch {
    signal?.throwIfAborted();
    return null;
  }
}

function modelInTraining(
  worker: WorkerClient<TrainerProcess>,
  base: string,
  end: () => Promise<void>,
): ModelInTraining {
  const meter = new UsageMeter();
  let ending: Promise<void> | null = null;

  /** Another model may use the process once this one is closed. */
  async function asked<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (ending !== null) throw closed();
    try {
      return await meter.during(ask);
    } catch (error) {
      if (!(error instanceof WorkerLost)) throw error;
      throw ending === null ? crash(error, base) : closed();
    }
  }

  return {
    warnings: [],
    get usage() {
      return meter.usage;
    },
    async forward(rows, through, signal) {
      const scores = await asked(() => worker.request('forward', { rows, through }, { signal }));
      meter.scored(tokensOf(rows));
      return scores;
    },
    async forwardBackward(rows, loss, signal) {
      const result = await asked(() => worker.request('forwardBackward', { rows, loss }, { signal }));
      meter.trained(tokensOf(rows));
      return result;
    },
    async optimStep(options) {
      const result = await asked(() => worker.request('optimStep', options));
      meter.stepped();
      return result;
    },
    saveState: () => asked(() => worker.request('saveState', undefined as never)),
    loadState: (state) => asked(() => worker.request('loadState', state)),
    saveWeightsForSampler: () => asked(() => worker.request('saveWeightsForSampler', undefined as never)),
    close() {
      ending ??= end();
      return ending;
    },
  };
}

function tokensOf(rows: readonly TrainingRow[]): number {
  return rows.reduce((sum, { tokens }) => sum + tokens.length, 0);
}

function closed(): Failure {
  return new Failure('unavailable', 'The model in training was closed.');
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
