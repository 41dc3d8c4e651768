import { type ClientThread, measureUntilStopped, startClientThread } from './client-thread.ts';

/** Asks `/health` ten times a second. `stop` answers the milliseconds of each answer; NaN where there was none. */
export function probeHealth(address: string): ClientThread<number[]> {
  return startClientThread(import.meta.url, address);
}

measureUntilStopped((address: string) => {
  const answers: Promise<number>[] = [];
  let timer: NodeJS.Timeout | undefined;
  // The first request is not counted: it waits for Node to load `fetch` in this thread.
  const loaded = msOfHealth(address).then(() => {
    timer = setInterval(() => answers.push(msOfHealth(address)), 100);
  });
  return async () => {
    await loaded;
    clearInterval(timer);
    return Promise.all(answers);
  };
});

async function msOfHealth(address: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${address}/health`).catch(() => null);
  return response?.ok ? performance.now() - startedAt : Number.NaN;
}
