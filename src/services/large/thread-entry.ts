import { parentPort } from 'node:worker_threads';
import { toErrorData } from '../../util/error-data.ts';
import type { WorkAnswer, WorkName } from './large.ts';
import { work } from './work.ts';

/** The thread that works on large payloads. No store may be loaded here. */
parentPort!.on('message', ({ name, args }: { name: WorkName; args: unknown[] }) => {
  parentPort!.postMessage(answerTo(name, args));
});

function answerTo(name: WorkName, args: unknown[]): WorkAnswer {
  try {
    return { value: (work[name] as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    return { failure: toErrorData(error) };
  }
}
