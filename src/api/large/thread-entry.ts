import { parentPort } from 'node:worker_threads';
import { toFailure } from '../../http/bodies/transfer.ts';
import { giveWay } from '../../util/give-way.ts';
import type { WorkAnswer, WorkName } from './large.ts';
import { work } from './work.ts';

/** The thread that works on large payloads. No store may be loaded here. */
giveWay();
parentPort!.on('message', ({ name, args }: { name: WorkName; args: unknown[] }) => {
  parentPort!.postMessage(answerTo(name, args));
});

function answerTo(name: WorkName, args: unknown[]): WorkAnswer {
  try {
    return { value: (work[name] as (...args: unknown[]) => unknown)(...args) };
  } catch (error) {
    return { failure: toFailure(error) };
  }
}
