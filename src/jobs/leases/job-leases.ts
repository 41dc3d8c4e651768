import type { Transaction } from 'kysely';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { Database } from '../../store/postgres/schema.ts';
import type { JobKind, JobProgress } from '../job-kind.ts';
import type { FoundJob } from '../queue.ts';

/** Which process runs a job. */
export type JobLeases = {
  /** Makes jobs wait again whose process has ended without storing it, at once and from now on. */
  watch(kind: string, watcher: Watcher): Promise<void>;
  /** Takes the next job that is due. */
  take(kind: JobKind<unknown>, ignoredProjects: string[]): Promise<JobLease | null>;
  /**
   * Stops a job, wherever it runs, and takes it so that its cancellation can be stored.
   * @returns whether another process has canceled the job, if it has ended
   */
  takeToCancel(kind: string, id: string): Promise<JobLease | boolean>;
  progressOf(kind: string, id: string): Promise<JobProgress | null>;
  /** Lets the other processes look for jobs of a kind. */
  announce(kind: string): void;
  close(): Promise<void>;
};

export type Watcher = {
  /** Looks for a job to start. */
  wake(): void;
  /** Completes a cancellation that another process has not completed. */
  cancel(id: string): Promise<unknown>;
};

/** A job that this process has taken. */
export type JobLease = {
  job: FoundJob;
  /** See `RunningJob`. */
  isTakenOver: boolean;
  /** Aborted when the job is canceled, and when another process may have taken it. */
  controller: AbortController;
  report(progress: JobProgress): void;
  /** See `RunningJob`. */
  assertHeld(db?: Postgres['db']): Promise<void>;
  /** The job counts no longer among those of its project that run: its end cannot be stored yet. */
  standAside(): void;
  /**
   * Stores how the job, or this attempt, ended, unless another process has taken it, and gives it up.
   * @throws JobTaken
   */
  end(how: Ending, write: (transaction?: Transaction<Database>) => Promise<void>): Promise<void>;
  /** Gives the job up, if it has not ended. A job that is being canceled is then taken by the process that cancels it. */
  close(): Promise<void>;
};

/** `waits`: for its next attempt. `goesOn`: its cancellation could not be stored. */
type Ending = 'over' | 'waits' | 'goesOn';

/** For the log, when nobody waits for the cancellation. */
export function cancellationFailed(kind: string): string {
  return `a job of the kind ${kind} could not be canceled and goes on`;
}
