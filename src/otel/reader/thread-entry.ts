import { parentPort } from 'node:worker_threads';
import { Failure } from '../../util/failures.ts';
import { readBodyHere } from './read-body.ts';
import type { ThreadAnswer, ThreadQuestion } from './thread.ts';

/** The thread that reads large exports. No store may be loaded here. */
parentPort!.on('message', (question: ThreadQuestion) => {
  parentPort!.postMessage(answerTo(question));
});

function answerTo({ signal, body, options }: ThreadQuestion): ThreadAnswer {
  try {
    return { read: readBodyHere(signal, body, options) };
  } catch (error) {
    if (error instanceof Failure) return { refusal: error.message };
    throw error;
  }
}
