import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { validate } from 'uuid';
import type { Peers } from '../../store/peers/peers.ts';
import { findProgress } from '../../store/postgres/job-attempts/attempts.ts';
import { abandonedJobs, askToCancel, dueKinds, listUnknown } from '../../store/postgres/job-attempts/look.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { hasEnded, type Queue } from '../queue.ts';
import { cancelerMs, openHeldJobs } from './held-jobs.ts';
import { cancellationFailed, type JobLease, type JobLeases, type Watcher } from './job-leases.ts';
import { openRepeated } from './repeated.ts';
import { interrupt, takeNext, takeStopped } from './take-job.ts';

type Options = {
  /** How long a process may be silent until others take its jobs. */
  leaseMs?: number;
  /** How often a process looks for jobs. Announcements make it look sooner. */
  lookMs?: number;
  onError(error: unknown, message: string): void;
};

/** How often a process that cancels a job looks whether the job has stopped. */
const pollMs = 100;

/** The jobs of processes that share a server: each job that runs has a row with its process, its attempt and the end of its lease. */
export function openSharedLeases(
  queue: Queue,
  postgres: Postgres,
  peers: Peers,
  { leaseMs = 8000, lookMs = Math.min(1000, leaseMs / 4), onError }: Options,
): JobLeases {
  const { db } = postgres;
  const schemaOfJobs = postgres.jobs.schema;
  const process = randomUUID();
  const taking = { queue, postgres, process, leaseMs };
  const watchers = new Map<string, Watcher>();
  const held = openHeldJobs(postgres, peers, { process, leaseMs, onError });
  const looking = openRepeated(look, lookMs, (error) =>
    onError(error, 'jobs cannot be looked for; this is tried again'),
  );
  peers.on('jobs', (kind) => {
    for (const [each, { wake }] of watchers) if (kind === null || kind === each) wake();
  });
  peers.on('canceled jobs', (kind) => {
    if (kind !== null) held.askSoon(kind);
  });

  async function look(): Promise<void> {
    const kinds = [...watchers.keys()];
    if (kinds.length === 0) return;
    for (const { kind, job, isCanceled } of await abandonedJobs(db, schemaOfJobs, kinds)) {
      if (isCanceled) void completeCancellation(kind, job);
      else if (await interrupt(taking, { kind, job })) peers.announce('jobs', kind);
    }
    for (const kind of await dueKinds(db, schemaOfJobs, kinds)) watchers.get(kind)?.wake();
  }

  async function completeCancellation(kind: string, id: string): Promise<void> {
    await watchers
      .get(kind)
      ?.cancel(id)
      .catch((error) => onError(error, cancellationFailed(kind)));
  }

  /** @returns whether another process has canceled the job, if it has ended */
  async function takeOnceStopped(kind: string, id: string): Promise<JobLease | boolean> {
    for (;;) {
      const taken = await takeStopped(taking, { kind, job: id });
      if (taken === 'isRunning') await setTimeout(pollMs);
      else if (taken !== null) return held.add(taken.job, taken.attempt, taken.askedAt);
      else break;
    }
    const job = await queue.find(kind, id);
    if (job !== null && !hasEnded(job)) throw new Error('Another process could not cancel the job, which goes on.');
    return job?.state === 'canceled';
  }

  return {
    async watch(kind, watcher) {
      await listUnknown(db, schemaOfJobs, kind);
      watchers.set(kind, watcher);
      looking.wake();
    },
    async take(kind, ignoredProjects) {
      const taken = await takeNext(taking, kind, ignoredProjects);
      return taken && held.add(taken.job, taken.attempt, taken.askedAt);
    },
    async takeToCancel(kind, id) {
      if (!validate(id) || !(await askToCancel(db, schemaOfJobs, { kind, job: id }, cancelerMs))) return false;
      held.cancel(kind, id);
      peers.announce('canceled jobs', kind);
      return takeOnceStopped(kind, id);
    },
    async progressOf(kind, id) {
      const own = held.progressOf(kind, id);
      return own === undefined ? findProgress(db, { kind, job: id }) : own;
    },
    announce: (kind) => peers.announce('jobs', kind),
    async close() {
      await Promise.all([looking.close(), held.close()]);
    },
  };
}
