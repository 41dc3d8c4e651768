import type { Transaction } from 'kysely';
import { validate } from 'uuid';
import { forgetAll, forgetJob } from '../../store/postgres/job-attempts/attempts.ts';
import { askToCancel, jobsToCancel } from '../../store/postgres/job-attempts/look.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { JobCanceled, type JobProgress } from '../job-kind.ts';
import { type FoundJob, hasEnded, type Queue, releaseInterrupted } from '../queue.ts';
import { cancellationFailed, type JobLease, type JobLeases } from './job-leases.ts';

type Held = { controller: AbortController; progress: JobProgress | null; closed: PromiseWithResolvers<void> };

/** How the end of a job is stored. */
type End = (write: (transaction?: Transaction<Database>) => Promise<void>) => Promise<void>;

type Options = { onError(error: unknown, message: string): void };

/**
 * The jobs of a process that has them to itself: what runs is in memory, and a job that is active at the start was interrupted. Only
 * that a job is to be canceled is stored, so that it is not run again.
 */
export function openLeasesAlone(
  queue: Queue,
  { db, jobs: { schema: schemaOfJobs } }: Pick<Postgres, 'db' | 'jobs'>,
  { onError }: Options,
): JobLeases {
  const running = new Map<string, Held>();
  const canceling = new Set<string>();
  /** What processes that shared the jobs before have left. */
  let forgotten: Promise<void> | null = null;

  function leaseOf(job: FoundJob, held: Held, { end, close }: { end: End; close: () => void }): JobLease {
    return {
      job,
      isTakenOver: false,
      controller: held.controller,
      report(progress) {
        held.progress = progress;
      },
      async assertHeld() {},
      standAside() {},
      end: (_how, write) => end(write),
      async close() {
        close();
      },
    };
  }

  return {
    async watch(kind, { cancel }) {
      forgotten ??= forgetAll(db, schemaOfJobs);
      await forgotten;
      const canceled = await jobsToCancel(db, kind);
      for (const job of await queue.listActive(kind)) await releaseInterrupted(queue, kind, job);
      for (const id of canceled) cancel(id).catch((error) => onError(error, cancellationFailed(kind)));
    },
    async take(kind, ignoredProjects) {
      const job = await queue.fetch(kind.name, ignoredProjects);
      if (job === null) return null;
      const held = newHeld();
      running.set(job.id, held);
      if (canceling.has(job.id)) held.controller.abort(new JobCanceled());
      const close = () => {
        if (running.get(job.id) === held) running.delete(job.id);
        held.closed.resolve();
      };
      return leaseOf(job, held, { end: (write) => write(), close });
    },
    async takeToCancel(kind, id) {
      const close = () => canceling.delete(id);
      const key = { kind, job: id };
      canceling.add(id);
      try {
        if (validate(id)) {
          await askToCancel(db, schemaOfJobs, key, 0);
          const found = running.get(id);
          found?.controller.abort(new JobCanceled());
          await found?.closed.promise;
          const job = await queue.find(kind, id);
          if (job !== null && !hasEnded(job))
            return leaseOf(job, newHeld(), { end: (write) => endWith(key, write), close });
          await forgetJob(db, key);
        }
      } catch (error) {
        close();
        throw error;
      }
      close();
      return false;
    },
    progressOf: async (_kind, id) => running.get(id)?.progress ?? null,
    announce() {},
    async close() {},
  };

  function endWith(key: { kind: string; job: string }, write: Parameters<End>[0]): Promise<void> {
    return db.transaction().execute(async (transaction) => {
      await write(transaction);
      await forgetJob(transaction, key);
    });
  }
}

function newHeld(): Held {
  return { controller: new AbortController(), progress: null, closed: Promise.withResolvers<void>() };
}
