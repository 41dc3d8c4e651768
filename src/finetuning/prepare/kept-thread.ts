import { Failure } from '../../util/failures.ts';
import { thread } from '../../util/workers/start-worker.ts';
import { WorkerClient } from '../../util/workers/worker-client.ts';
import type { Preparing } from './prepare-worker.ts';

/** A thread that has the tokenizer and the templates of one base model open. */
export type PreparingThread = { baseId: string; worker: WorkerClient<Preparing> };

/** Its heap takes memory of the server, unlike training processes. */
const keptMs = 60_000;

/** The one that was used last, for the next data of the same model. */
let kept: PreparingThread | null = null;
let timer: NodeJS.Timeout | undefined;

/** The thread that was kept, if it is one for this model, or a new one. The caller alone uses it. */
export function takeThread(baseId: string): PreparingThread {
  if (kept?.baseId === baseId) {
    const taken = leave();
    if (taken?.worker.isAlive) return taken;
  }
  const file = new URL('./prepare-worker.ts', import.meta.url);
  return { baseId, worker: new WorkerClient<Preparing>(thread(file), { errors: [Failure] }) };
}

/** Keeps a thread that has finished its data for a while, instead of the one before. */
export async function giveThread(given: PreparingThread): Promise<void> {
  const before = leave();
  kept = given;
  timer = setTimeout(endKeptThread, keptMs).unref();
  await before?.worker.kill();
}

export async function endKeptThread(): Promise<void> {
  await leave()?.worker.kill();
}

function leave(): PreparingThread | null {
  const left = kept;
  clearTimeout(timer);
  kept = null;
  return left;
}
