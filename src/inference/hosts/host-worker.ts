import { backgroundProcess } from '../../util/workers/background-process.ts';
import type { StartWorker } from '../../util/workers/start-worker.ts';

/** Starts the process of a model, with a lower priority than this one's. */
export function hostProcess(niceness: number): StartWorker {
  return backgroundProcess(new URL('./host-process.ts', import.meta.url), niceness);
}
