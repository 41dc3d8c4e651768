import type { Transaction } from 'kysely';
import { onceForAll } from '../store/peers/once-for-all.ts';
import type { Peers } from '../store/peers/peers.ts';
import { askToCancel } from '../store/postgres/job-attempts/look.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import type { Database } from '../store/postgres/schema.ts';
import type { JobKind, JobProgress, Task } from './job-kind.ts';
import { cancelerMs } from './leases/held-jobs.ts';
import { openLeasesAlone } from './leases/leases-alone.ts';
import { openSharedLeases } from './leases/shared-leases.ts';
import { type FoundJob, openQueue } from './queue.ts';
import { type Runner, type RunnerOptions, startRunner } from './runner.ts';

/**
 * Work that outlives a request. An added job is stored, and runs at least once even if the process is killed: jobs that
 * were running then start again when the server starts, or at another process within seconds. `job-kind.ts` describes kinds and handlers, `tasks/` has one
 * file per kind. Handlers in `api/` add jobs.
 */
export type Jobs = {
  /**
   * Adds a job, in a transaction if one is given. Adding an id that exists has no effect, so a request that a client
   * repeats can use the same id. @returns whether it was added.
   */
  add<Input extends object>(kind: JobKind<Input>, job: NewJob<Input>): Promise<boolean>;
  /**
   * Stops a job wherever it runs, and lets its handler record this. Has no effect before `start`.
   * @returns whether the job had not ended yet.
   */
  cancel(kind: JobKind<unknown>, id: string): Promise<boolean>;
  /**
   * Stores, in the transaction that shows a job as canceled, that it is to be canceled: it is not started again, even if this process
   * ends before it calls `cancel`, which stops the job and calls its handler.
   */
  askToCancel(kind: JobKind<unknown>, id: string, transaction: Transaction<Database>): Promise<void>;
  /** @returns null if no such job was added in the past week. */
  find(kind: JobKind<unknown>, id: string): Promise<JobState | null>;
  /** How many jobs of each kind wait or run. */
  count(): Promise<{ kind: string; state: 'waiting' | 'active'; count: number }[]>;
  /** Starts to run the jobs of these kinds, first those whose process ended while it ran them. */
  start(tasks: Task[]): Promise<void>;
  /** Starts no further jobs, and interrupts those that run: they continue at another process, or at the next start. Jobs can still be added. */
  stop(): Promise<void>;
  close(): Promise<void>;
};

type NewJob<Input> = {
  /** A UUID. */
  id: string;
  /** The internal id of the project: projects take turns. */
  project: string;
  /** For kinds with keys: jobs with the same key run one after another. */
  key?: string;
  input: Input;
  transaction?: Transaction<Database>;
};

type JobState = Pick<FoundJob, 'state'> & {
  /** Attempts that have failed so far. */
  failures: number;
  /** The message of the last failure. */
  error: string | null;
  progress: JobProgress | null;
};

/** How long running jobs may take to stop when the server shuts down. */
const graceMs = 10_000;
/** How long jobs are kept after their end. */
const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * @param peers the processes that run jobs of the same store
 * @param options.leaseMs how long another process may be silent until its jobs are taken over
 * @param options.lookMs how often this process looks for jobs of other processes, apart from their announcements
 */
export async function openJobs(
  postgres: Postgres,
  peers: Peers,
  options: RunnerOptions & { leaseMs?: number; lookMs?: number },
): Promise<Jobs> {
  const queue = await openQueue(postgres, (error) => options.onError(error, 'the job queue reported an error'));
  const leases = peers.isAlone
    ? openLeasesAlone(queue, postgres, options)
    : openSharedLeases(queue, postgres, peers, options);
  const runners = new Map<string, Runner>();
  const deleteEnded = () =>
    onceForAll(peers, 'deleting ended jobs', () => queue.deleteEnded(new Date(Date.now() - keptMs))).catch((error) =>
      options.onError(error, 'ended jobs were not deleted'),
    );
  const daily = setInterval(deleteEnded, 24 * 60 * 60 * 1000).unref();

  async function stop(): Promise<void> {
    await Promise.all([...runners.values()].map((runner) => runner.close(graceMs)));
  }

  const progressOf = (kind: JobKind<unknown>, { id, state }: FoundJob) =>
    state === 'active' ? leases.progressOf(kind.name, id) : null;

  return {
    async add(kind, { transaction, ...job }) {
      const added = await queue.add(kind.name, job, transaction);
      const wake = () => {
        runners.get(kind.name)?.wake();
        leases.announce(kind.name);
      };
      if (transaction) postgres.afterCommit(transaction, wake);
      else wake();
      return added;
    },
    cancel: async (kind, id) => (await runners.get(kind.name)?.cancel(id)) ?? false,
    async askToCancel(kind, id, transaction) {
      await askToCancel(transaction, postgres.jobs.schema, { kind: kind.name, job: id }, cancelerMs);
    },
    async find(kind, id) {
      const found = await queue.find(kind.name, id);
      if (found === null) return null;
      const { failures, error = null } = found.history;
      return { state: found.state, failures, error, progress: await progressOf(kind, found) };
    },
    count: () => queue.count(),
    async start(tasks) {
      await deleteEnded();
      for (const task of tasks) runners.set(task.kind.name, await startRunner({ queue, leases }, task, options));
    },
    stop,
    async close() {
      clearInterval(daily);
      await stop();
      await leases.close();
      await queue.close();
    },
  };
}
