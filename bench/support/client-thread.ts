import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** A client on a thread of its own: what else the bench does must not count in its figures. */
export type ClientThread<Figures> = {
  /** Waits for the answers under way, then returns what was measured. */
  stop(): Promise<Figures>;
};

/** Runs `file`, a module that calls `measureUntilStopped`, on a thread. */
export function startClientThread<Figures>(file: string, target: unknown): ClientThread<Figures> {
  const worker = new Worker(new URL(file), { workerData: target });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

/** In the thread: calls `start` with the target; what it returns is called once the thread is to stop. On the main thread, nothing. */
export function measureUntilStopped<Target, Figures>(start: (target: Target) => () => Promise<Figures>): void {
  if (isMainThread) return;
  const stop = start(workerData as Target);
  parentPort!.once('message', async () => {
    parentPort!.postMessage(await stop());
    parentPort!.close();
  });
}
