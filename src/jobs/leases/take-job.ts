import {
  type Attempt,
  busyProjects,
  forgetJob,
  giveJob,
  type JobKey,
  lockJob,
  lockKind,
  takeJob,
} from '../../store/postgres/job-attempts/attempts.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { JobKind } from '../job-kind.ts';
import { type FoundJob, hasEnded, type Queue, releaseInterrupted } from '../queue.ts';

export type Taking = { queue: Queue; postgres: Postgres; process: string; leaseMs: number };

/** @param askedAt in milliseconds of the monotonic clock */
export type Taken = { job: FoundJob; attempt: Attempt; askedAt: number };

/** Takes the next job of a project that runs fewer than it may. Jobs that are being canceled are passed over. */
export function takeNext(
  { queue, postgres, process, leaseMs }: Taking,
  kind: JobKind<unknown>,
  ignoredProjects: string[],
): Promise<Taken | null> {
  return postgres.db.transaction().execute(async (transaction) => {
    await lockKind(transaction, postgres.jobs.schema, kind.name);
    const busy = await busyProjects(transaction, kind.name, kind.runningPerProjectMax);
    const ignored = [...new Set([...ignoredProjects, ...busy])];
    for (;;) {
      const askedAt = performance.now();
      const job = await queue.fetch(kind.name, ignored, transaction);
      if (job === null) return null;
      const key = { kind: kind.name, job: job.id };
      const attempt = await takeJob(transaction, key, { project: job.project, process, ms: leaseMs });
      if (attempt !== null) return { job, attempt: { ...key, process, attempt }, askedAt };
    }
  });
}

/** Takes a job that nobody runs in order to cancel it. @returns null if it has ended, or is not to be canceled any more */
export function takeStopped(
  { queue, postgres, process, leaseMs }: Taking,
  key: JobKey,
): Promise<Taken | 'isRunning' | null> {
  const askedAt = performance.now();
  return postgres.db.transaction().execute(async (transaction) => {
    const row = await lockJob(transaction, key, 'waits');
    if (row === null || !row.isCanceled) return null;
    if (row.process !== '' && !row.isOver) return 'isRunning';
    const job = await queue.find(key.kind, key.job, transaction);
    if (job === null || hasEnded(job)) {
      await forgetJob(transaction, key);
      return null;
    }
    const attempt = await giveJob(transaction, key, { process, ms: leaseMs });
    return { job, attempt: { ...key, process, attempt }, askedAt };
  });
}

/** Takes a job from a process that has ended or is frozen, and makes it wait. @returns false if another process has done so */
export function interrupt({ queue, postgres }: Pick<Taking, 'queue' | 'postgres'>, key: JobKey): Promise<boolean> {
  return postgres.db.transaction().execute(async (transaction) => {
    const row = await lockJob(transaction, key, 'skips');
    if (!row?.isOver || row.isCanceled) return false;
    const job = await queue.find(key.kind, key.job, transaction);
    if (job?.state !== 'active') return false;
    await giveJob(transaction, key, { process: '', ms: 0 });
    await releaseInterrupted(queue, key.kind, job, transaction);
    return true;
  });
}
