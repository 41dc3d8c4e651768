import type { Transaction } from 'kysely';
import type { Peers } from '../../store/peers/peers.ts';
import {
  type Attempt,
  forgetJob,
  isNewest,
  leaveJob,
  leaveToCanceler,
  lockJob,
  renewAttempts,
} from '../../store/postgres/job-attempts/attempts.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import type { Database } from '../../store/postgres/schema.ts';
import { JobCanceled, type JobProgress, JobTaken } from '../job-kind.ts';
import type { FoundJob } from '../queue.ts';
import type { JobLease } from './job-leases.ts';
import { openRepeated } from './repeated.ts';

/** The jobs that a process has taken. It renews their leases, writes their progress, and notices that one is canceled. */
export type HeldJobs = {
  /** @param askedAt when the job was asked for, in milliseconds of the monotonic clock */
  add(job: FoundJob, attempt: Attempt, askedAt: number): JobLease;
  /** Asks soon whether jobs of a kind are canceled. */
  askSoon(kind: string): void;
  /** Stops a job, if it is one of these. */
  cancel(kind: string, id: string): void;
  /** Undefined for a job that this process does not have. */
  progressOf(kind: string, id: string): JobProgress | null | undefined;
  close(): Promise<void>;
};

type Options = { process: string; leaseMs: number; onError(error: unknown, message: string): void };

/** How long a stopped job is left to the process that cancels it. */
export const cancelerMs = 3000;
/** How often progress is written at most, and how often a process that misses announcements asks. */
const renewMs = 1000;

type Held = JobLease & {
  attempt: Attempt;
  heldUntil: number;
  progress: JobProgress | null;
  isCounted: boolean;
  /** Whether there is something to write. */
  isChanged: boolean;
};

export function openHeldJobs(
  { db }: Pick<Postgres, 'db'>,
  peers: Peers,
  { process, leaseMs, onError }: Options,
): HeldJobs {
  const held = new Set<Held>();
  const renewing = openRepeated(renew, Math.min(renewMs, leaseMs / 8), (error) =>
    onError(error, 'the leases of running jobs cannot be renewed and are tried again'),
  );
  const find = (kind: string, id: string) => {
    for (const lease of held) if (lease.attempt.kind === kind && lease.attempt.job === id) return lease;
    return undefined;
  };

  async function renew(): Promise<void> {
    for (const lease of held) if (performance.now() >= lease.heldUntil) lose(lease);
    const asked = [...held];
    if (!asked.some(needsRenewal)) return;
    for (const lease of asked) lease.isChanged = false;
    const askedAt = performance.now();
    const written = asked.map(({ attempt, isCounted, progress }) => ({ ...attempt, isCounted, progress }));
    const renewed = await renewAttempts(db, process, leaseMs, written);
    const byKey = new Map(renewed.map((row) => [keyOf(row), row]));
    for (const lease of asked) {
      if (!held.has(lease)) continue; // it has ended meanwhile
      const row = byKey.get(keyOf(lease.attempt));
      if (row === undefined || performance.now() >= lease.heldUntil) lose(lease);
      else lease.heldUntil = askedAt + leaseMs;
      if (row?.isCanceled) lease.controller.abort(new JobCanceled());
    }
  }

  function needsRenewal({ heldUntil, isChanged }: Held): boolean {
    return isChanged || performance.now() + (3 * leaseMs) / 4 > heldUntil;
  }

  /** Nothing more is written about a job that another process may have taken. */
  function lose(lease: Held): void {
    held.delete(lease);
    lease.heldUntil = Number.NEGATIVE_INFINITY;
    lease.controller.abort(new JobTaken());
  }

  function end(lease: Held, write: (transaction: Transaction<Database>) => Promise<void>): Promise<void> {
    return db.transaction().execute(async (transaction) => {
      const row = await lockJob(transaction, lease.attempt, 'waits'); // as long as nobody has taken it, being late does no harm
      if (row?.process !== process || row.attempt !== lease.attempt.attempt) {
        lose(lease);
        throw new JobTaken();
      }
      await write(transaction);
    });
  }

  function add(job: FoundJob, attempt: Attempt, askedAt: number): Held {
    const lease: Held = {
      ...{ job, attempt, controller: new AbortController(), heldUntil: askedAt + leaseMs },
      isTakenOver: attempt.attempt > 1,
      ...{ progress: null, isCounted: true, isChanged: false },
      report(progress) {
        lease.progress = progress;
        lease.isChanged = true;
      },
      async assertHeld(given = db) {
        if (performance.now() < lease.heldUntil && (await isNewest(given, attempt))) return;
        lose(lease);
        throw new JobTaken();
      },
      standAside() {
        lease.isCounted = false;
        lease.isChanged = true;
      },
      async end(how, write) {
        await end(lease, async (transaction) => {
          await write(transaction);
          if (how === 'over') await forgetJob(transaction, attempt);
          else await leaveJob(transaction, attempt, how === 'waits');
        });
        held.delete(lease);
        peers.announce('jobs', attempt.kind); // of its project or with its key, another one may start
      },
      async close() {
        const isStopped = held.delete(lease) && lease.controller.signal.reason instanceof JobCanceled;
        if (isStopped) await leaveToCanceler(db, attempt, cancelerMs).catch(() => {}); // otherwise its lease runs out
      },
    };
    held.add(lease);
    return lease;
  }

  return {
    add,
    askSoon(kind) {
      for (const lease of held) lease.isChanged ||= lease.attempt.kind === kind;
      renewing.wake();
    },
    cancel: (kind, id) => find(kind, id)?.controller.abort(new JobCanceled()),
    progressOf: (kind, id) => find(kind, id)?.progress,
    close: () => renewing.close(),
  };
}

function keyOf({ kind, job, attempt }: Pick<Attempt, 'kind' | 'job' | 'attempt'>): string {
  return `${kind}/${job}/${attempt}`;
}
