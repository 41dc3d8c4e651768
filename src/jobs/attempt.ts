import { z } from 'zod';
import {
  FinalError,
  JobCanceled,
  type JobHandler,
  type JobKind,
  JobTaken,
  type RunningJob,
  ShuttingDown,
} from './job-kind.ts';
import type { JobLease } from './leases/job-leases.ts';

/**
 * `isFinal`: the job must not run again. `isRecorded`: the handler has made this visible, or cannot. `notRecorded` is why
 * it has not.
 */
export type JobFailure = { error: unknown; isFinal: boolean; isRecorded: boolean; notRecorded?: unknown };

/** Replaces a message that may be the reason why the end of a job cannot be stored. */
export const withheldMessage = 'The job failed. Its error cannot be stored; it is in the log of the server.';

/** How often `failed` is called. */
const recordingsMax = 10;
/** How often it is called with the error of the job. */
const recordingsOfErrorMax = 3;

/** Why a run ends without having failed. */
const stops = [ShuttingDown, JobCanceled, JobTaken];

/** Runs a handler once. @returns null if the job is done. */
export async function attempt(
  kind: JobKind<unknown>,
  handler: JobHandler<unknown>,
  { job: { id, project, input, history }, controller, isTakenOver, report, assertHeld }: JobLease,
): Promise<JobFailure | null> {
  const { signal } = controller;
  const job: RunningJob = {
    id,
    project,
    attempt: history.failures + (history.isFinal ? 0 : 1),
    attemptsMax: kind.attemptsMax,
    ...{ signal, isTakenOver, report, assertHeld },
  };
  try {
    signal.throwIfAborted();
    if (history.isFinal) throw new FinalError(history.error);
    const parsed = kind.input.safeParse(input);
    if (!parsed.success) throw new FinalError(`The job's input is invalid: ${z.prettifyError(parsed.error)}`);
    await handler.run(parsed.data, job);
    return null;
  } catch (error) {
    const isStopped = stops.some((stop) => signal.reason instanceof stop);
    const isFinal = !isStopped && (error instanceof FinalError || job.attempt >= kind.attemptsMax);
    if (!isFinal) return { error, isFinal, isRecorded: false };
    return recordFailure(error);
  }

  async function recordFailure(error: unknown): Promise<JobFailure> {
    const parsed = kind.input.safeParse(input);
    if (!parsed.success) return { error, isFinal: true, isRecorded: true }; // no handler can do anything with it
    const { unrecorded = 0 } = history;
    try {
      const told = unrecorded < recordingsOfErrorMax ? error : new FinalError(withheldMessage);
      await handler.failed(parsed.data, told, job);
      return { error, isFinal: true, isRecorded: true };
    } catch (notRecorded) {
      return { error, isFinal: true, isRecorded: unrecorded + 1 >= recordingsMax, notRecorded };
    }
  }
}
