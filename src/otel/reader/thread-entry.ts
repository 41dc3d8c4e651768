import { parentPort } from 'node:worker_threads';
import { Failure } from '../../util/failures.ts';
import { type ReadOptions, readBodyHere } from './read-body.ts';
import type { ThreadAnswer } from './thread.ts';

/** The thread that reads large exports. No store may be loaded here. */
parentPort!.on('message', ({ body, options }: { body: Uint8Array; options: ReadOptions }) => {
  parentPort!.postMessage(answerTo(body, options));
});

function answerTo(body: Uint8Array, options: ReadOptions): ThreadAnswer {
  try {
    return { read: readBodyHere(body, options) };
  } catch (error) {
    if (error instanceof Failure) return { refusal: error.message };
    throw error;
  }
}
