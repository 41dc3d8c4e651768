import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/**
 * Asks `/health` ten times a second, on a thread of its own: what else the client does must not count. `stop` answers
 * the milliseconds of each answer; NaN where there was none.
 */
export function probeHealth(address: string): { stop(): Promise<number[]> } {
  const worker = new Worker(new URL(import.meta.url), { workerData: { address } });
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
        worker.postMessage('stop');
      }),
  };
}

if (!isMainThread) {
  const { address } = workerData as { address: string };
  const answers: Promise<number>[] = [];
  const timer = setInterval(() => answers.push(msOfHealth(address)), 100);
  parentPort!.once('message', async () => {
    clearInterval(timer);
    parentPort!.postMessage(await Promise.all(answers));
    parentPort!.close();
  });
}

async function msOfHealth(address: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${address}/health`).catch(() => null);
  return response?.ok ? performance.now() - startedAt : Number.NaN;
}
