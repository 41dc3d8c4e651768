import { withinMs } from '../../util/within-ms.ts';
import type { TrainerHost } from './trainer-host.ts';

/** Keeps the process that has trained last for a while, for the next model over its base. Others may have its memory meanwhile. */
export type KeptTrainer = {
  /** The process, if it has this base model open. One with another base model ends. */
  take(baseId: string): Promise<TrainerHost | null>;
  /** Keeps the process without its model, or ends it. */
  give(host: TrainerHost): Promise<void>;
  /** Ends the process if its base model is not listed. */
  endRemoved(list: () => Promise<ReadonlySet<string>>): Promise<void>;
  /** Ends the process, and keeps none from now on. */
  close(): Promise<void>;
};

/** How long a process may take to finish its run. */
const finishMsMax = 5_000;

/** @param idleMsMax 0 keeps none */
export function keepTrainer(idleMsMax: number): KeptTrainer {
  let kept: TrainerHost | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = idleMsMax === 0;

  /** Several may wait for the end of one process. */
  async function end(host: TrainerHost): Promise<void> {
    if (kept === host) leave();
    await host.worker.kill();
  }

  function leave(): TrainerHost | null {
    const host = kept;
    clearTimeout(timer);
    kept = null;
    return host;
  }

  return {
    async take(baseId) {
      const host = leave();
      if (host?.baseId === baseId && host.worker.isAlive) {
        host.grant.setIdle(null);
        return host;
      }
      await host?.worker.kill();
      return null;
    },

    async give(host) {
      if (isClosed) return host.worker.close(finishMsMax);
      if (!(await discardsModel(host)) || isClosed) return host.worker.kill();
      const before = leave();
      kept = host;
      host.grant.setIdle(() => end(host));
      timer = setTimeout(() => void end(host), idleMsMax).unref();
      await before?.worker.kill();
    },

    async endRemoved(list) {
      const host = kept;
      if (host !== null && !(await list()).has(host.baseId) && kept === host) await end(host);
    },

    async close() {
      isClosed = true;
      await leave()?.worker.kill();
    },
  };
}

/** After the run that is under way. @returns false if the process has ended, or takes too long */
function discardsModel({ worker }: TrainerHost): Promise<boolean> {
  const discarded = worker.request('discard', undefined as never).then(
    () => true,
    () => false,
  );
  return withinMs(finishMsMax, discarded, () => false);
}
