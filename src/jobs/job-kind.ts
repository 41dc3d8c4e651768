import type { z } from 'zod';
import type { Postgres } from '../store/postgres/postgres.ts';

/** A kind of job: its input, how many jobs run at once, and how often a failed one is retried. */
export type JobKind<Input> = {
  /** Letters, digits and hyphens. It is stored with each job: renaming a kind abandons its waiting jobs. */
  name: string;
  /** What is stored with a job. Keep it small, such as ids and refs; it is validated when the job starts. */
  input: z.ZodType<Input>;
  /** Whether each job has a key, and jobs with the same key run one at a time, in the order in which they were added. */
  hasKeys: boolean;
  /** Jobs of this kind that run at once. */
  runningMax: number;
  /** Of these, jobs of one project. Projects take turns in any case. */
  runningPerProjectMax: number;
  /** Maximum number of attempts per job. */
  attemptsMax: number;
  /** Delay before the second attempt. It doubles with each further attempt. */
  retryDelaySeconds: number;
  retryDelayMaxSeconds: number;
};

/**
 * Does the work of one kind of job. Jobs run at least once: after a crash, `run` is called again from the start, so it
 * must continue from what it has stored, or store things under ids derived from the job's id.
 *
 * A job ends in exactly one of three ways. It is done when `run` returns. It has failed when `run` throws a
 * `FinalError`, or throws in its last attempt; then `failed` is called. It is canceled by `jobs.cancel`; then `canceled`
 * is called. `failed` and `canceled` make the end visible to users, such as in a status or an event. The job counts as
 * ended only after they return: if they throw, or the process is killed, they are called again. `failed` is called at
 * most ten times, after the third time with an error that quotes nothing; then the job ends without it.
 */
export type JobHandler<Input> = {
  /** Whether only other processes have what the job needs. It is then left to them. Asked before each run. */
  isForOthers?(input: Input, job: Pick<RunningJob, 'id'>): Promise<boolean>;
  run(input: Input, job: RunningJob): Promise<void>;
  failed(input: Input, error: unknown, job: RunningJob): Promise<void>;
  canceled(input: Input, job: Pick<RunningJob, 'id' | 'project' | 'assertHeld'>): Promise<void>;
};

export type RunningJob = {
  id: string;
  /** The internal id of its project. */
  project: string;
  /** 1 for the first attempt. A run that was interrupted by a crash or a shutdown does not count. */
  attempt: number;
  attemptsMax: number;
  /** Whether another process may have run the job before, and may still write what it has begun. */
  isTakenOver: boolean;
  /**
   * Aborted when the job is canceled (`JobCanceled`), the server shuts down (`ShuttingDown`), or another process may have
   * taken the job (`JobTaken`); `run` should then throw.
   */
  signal: AbortSignal;
  /** Publishes the job's progress for `jobs.find`. It is not kept when the process ends. */
  report(progress: JobProgress): void;
  /**
   * Call it in each transaction that writes something about the job, and before other writes. No other process can take the
   * job until the transaction ends. A process that was frozen may otherwise overwrite what the next one has stored.
   * @throws JobTaken if another process has taken the job
   */
  assertHeld(transaction?: Postgres['db']): Promise<void>;
};

export type JobProgress = { done: number; total: number };

/** Thrown by a handler if a retry would not help. */
export class FinalError extends Error {}

/** Why the signal of a job was aborted. */
export class JobCanceled extends Error {
  constructor() {
    super('The job was canceled');
  }
}

/** The server shuts down. The job continues at the next start, and this run is not counted as an attempt. */
export class ShuttingDown extends Error {
  constructor() {
    super('The server is shutting down');
  }
}

/** This process was silent for too long, so another one may run the job. Nothing more may be written about it. */
export class JobTaken extends Error {
  constructor() {
    super('Another process may have taken the job');
  }
}

/** A kind with its handler. The type of its input is checked here and hidden from the runner. */
export type Task = { kind: JobKind<unknown>; handler: JobHandler<unknown> };

export function task<Input>(kind: JobKind<Input>, handler: JobHandler<Input>): Task {
  return { kind, handler: handler as JobHandler<unknown> }; // the runner validates inputs with the schema of `kind`
}
