import { setTimeout } from 'node:timers/promises';
import { withheldMessage } from './attempt.ts';
import { JobCanceled, JobTaken } from './job-kind.ts';

/** How often the end of a job is written, and how often with the message of its error: about five minutes in all. */
const writesMax = 60;
const writesOfErrorMax = 3;

type Options = {
  /** The message of the error, if the job failed. */
  message: string;
  /** Ends the retries if the job is canceled or taken by another process: its end is then another. */
  signal: AbortSignal;
  /** Called after each failed write. What it throws ends the retries. */
  onFailure(error: unknown): void;
};

/** Writes how an attempt ended: a job that has ended must not run again because its end could not be stored at once. */
export async function storeEnd(write: (message: string) => Promise<void>, options: Options): Promise<void> {
  const { message, signal, onFailure } = options;
  for (let failures = 0; ; failures++) {
    try {
      return await write(failures < writesOfErrorMax ? message : withheldMessage);
    } catch (error) {
      if (error instanceof JobTaken) return;
      onFailure(error);
      if (failures + 1 >= writesMax) throw error;
      await setTimeout(Math.min(100 * 2 ** failures, 5000), undefined, { signal }).catch(() => {});
      if (signal.reason instanceof JobCanceled || signal.reason instanceof JobTaken) return;
    }
  }
}
