import { Worker } from 'node:worker_threads';
import { type ErrorData, throwErrorData } from '../../util/error-data.ts';
import type { work } from './work.ts';

/** Payloads from this size on are worked on by another thread: they would hold up every other request. */
const largeCharactersMin = 256 * 1024;

export function isLarge(...texts: (string | null | undefined)[]): boolean {
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0) >= largeCharactersMin;
}

type Work = typeof work;
export type WorkName = keyof Work;
export type WorkAnswer = { value: unknown } | { failure: ErrorData };

/** Does a piece of work in the thread, which is started with the first. @throws what the work throws */
export function workOn<Name extends WorkName>(
  name: Name,
  ...args: Parameters<Work[Name]>
): Promise<ReturnType<Work[Name]>> {
  thread ??= start();
  const { worker, waiting } = thread;
  worker.postMessage({ name, args });
  return new Promise((resolve, reject) => {
    waiting.push({ resolve: resolve as Waiting['resolve'], reject });
  });
}

type Waiting = { resolve(value: unknown): void; reject(error: unknown): void };

let thread: { worker: Worker; waiting: Waiting[] } | null = null;

/** It answers in the order in which it was asked, and ends with the process. */
function start() {
  const worker = new Worker(new URL('./thread-entry.ts', import.meta.url));
  const waiting: Waiting[] = [];
  worker.unref();
  worker.on('message', (answer: WorkAnswer) => {
    const { resolve, reject } = waiting.shift()!;
    if ('value' in answer) resolve(answer.value);
    else {
      try {
        throwErrorData(answer.failure);
      } catch (error) {
        reject(error);
      }
    }
  });
  worker.on('error', (error) => {
    thread = null; // the next large payload starts another one
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return { worker, waiting };
}
