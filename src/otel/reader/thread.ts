import { Worker } from 'node:worker_threads';
import { invalidInput } from '../../util/failures.ts';
import type { ReadExport } from '../read-export.ts';
import type { ReadOptions } from './read-body.ts';

/** What the thread answers: what an export holds, or why it cannot be read. */
export type ThreadAnswer = { read: ReadExport } | { refusal: string };

type Waiting = { resolve(read: ReadExport): void; reject(error: unknown): void };

let thread: { worker: Worker; waiting: Waiting[] } | null = null;

/** Started with the first large body; answers in the order in which it was asked. It ends with the process. */
export function readInThread(body: Uint8Array, options: ReadOptions): Promise<ReadExport> {
  thread ??= start();
  const { worker, waiting } = thread;
  const copy = Uint8Array.prototype.slice.call(body); // a buffer of Node's may share its memory with others
  worker.postMessage({ body: copy, options }, [copy.buffer as ArrayBuffer]);
  return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
}

function start() {
  const worker = new Worker(new URL('./thread-entry.ts', import.meta.url));
  const waiting: Waiting[] = [];
  worker.unref();
  worker.on('message', (answer: ThreadAnswer) => {
    const { resolve, reject } = waiting.shift()!;
    if ('read' in answer) resolve(answer.read);
    else reject(invalidInput(answer.refusal));
  });
  worker.on('error', (error) => {
    thread = null; // the next large body starts another one
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return { worker, waiting };
}
