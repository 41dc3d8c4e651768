import { forgetAll } from '../../store/postgres/job-attempts/attempts.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { JobCanceled, type JobProgress } from '../job-kind.ts';
import { type FoundJob, hasEnded, type Queue, releaseInterrupted } from '../queue.ts';
import type { JobLease, JobLeases } from './job-leases.ts';

type Held = { controller: AbortController; progress: JobProgress | null; closed: PromiseWithResolvers<void> };

/** The jobs of a process that has them to itself: what runs is in memory, and a job that is active at the start was interrupted. */
export function openLeasesAlone(queue: Queue, { db }: Pick<Postgres, 'db'>): JobLeases {
  const running = new Map<string, Held>();
  const canceling = new Set<string>();
  /** What processes that shared the jobs before have left. */
  let forgotten: Promise<void> | null = null;

  function leaseOf(job: FoundJob, held: Held, close: () => void): JobLease {
    return {
      job,
      isTakenOver: false,
      controller: held.controller,
      report(progress) {
        held.progress = progress;
      },
      async assertHeld() {},
      standAside() {},
      end: (_how, write) => write(),
      async close() {
        close();
      },
    };
  }

  return {
    async watch(kind) {
      forgotten ??= forgetAll(db);
      await forgotten;
      for (const job of await queue.listActive(kind)) await releaseInterrupted(queue, kind, job);
    },
    async take(kind, ignoredProjects) {
      const job = await queue.fetch(kind.name, ignoredProjects);
      if (job === null) return null;
      const held = newHeld();
      running.set(job.id, held);
      if (canceling.has(job.id)) held.controller.abort(new JobCanceled());
      return leaseOf(job, held, () => {
        if (running.get(job.id) === held) running.delete(job.id);
        held.closed.resolve();
      });
    },
    async takeToCancel(kind, id) {
      const close = () => canceling.delete(id);
      canceling.add(id);
      try {
        const found = running.get(id);
        found?.controller.abort(new JobCanceled());
        await found?.closed.promise;
        const job = await queue.find(kind, id);
        if (job !== null && !hasEnded(job)) return leaseOf(job, newHeld(), close);
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
}

function newHeld(): Held {
  return { controller: new AbortController(), progress: null, closed: Promise.withResolvers<void>() };
}
