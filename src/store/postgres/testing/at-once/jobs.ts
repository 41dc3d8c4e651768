import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { newId } from '../../../../contract/ids.ts';
import type { JobKind } from '../../../../jobs/job-kind.ts';
import { openHeldJobs } from '../../../../jobs/leases/held-jobs.ts';
import { openLeasesAlone } from '../../../../jobs/leases/leases-alone.ts';
import { interrupt, type Taken, type Taking, takeNext, takeStopped } from '../../../../jobs/leases/take-job.ts';
import { openQueue, type Queue } from '../../../../jobs/queue.ts';
import { openAlone } from '../../../peers/alone.ts';
import { isNewest } from '../../job-attempts/attempts.ts';
import { askToCancel, jobsToCancel } from '../../job-attempts/look.ts';
import { type Cases, each, type Start, writers } from './case.ts';

/** Transactions by which processes take jobs from each other. */
export const jobCases: Cases = {
  /** Each job is taken once, and no project has more than it may. */
  async 'jobs/leases/take-job.ts takeNext'(start) {
    await withQueue(start, async (queue, kind) => {
      for (const project of ['p', 'q']) for (const _ of writers) await addJob(queue, kind, project);
      const taken = await each((index) => takeNext(takingOf(start, queue, `process ${index}`), kind, []));
      const jobs = taken.flatMap((each) => each?.job ?? []);
      expect(jobs.map(({ project }) => project).toSorted()).toEqual(['p', 'p', 'q', 'q']);
      expect(new Set(jobs.map(({ id }) => id)).size).toBe(4);
    });
  },

  /** A job that is to be canceled is taken once. */
  async 'jobs/leases/take-job.ts takeStopped'(start) {
    await withQueue(start, async (queue, kind) => {
      const key = { kind: kind.name, job: await addJob(queue, kind) };
      await each(() => askToCancel(start.postgres.db, start.postgres.jobs.schema, key, 1000));
      const [taken] = await Promise.all([
        each((index) => takeStopped(takingOf(start, queue, `process ${index}`), key)),
        takeNext(takingOf(start, queue, 'another'), kind, []).then((found) => expect(found).toBeNull()),
      ]);
      expect(taken.filter((found) => typeof found === 'object')).toHaveLength(1);
      expect(taken.filter((found) => found === 'isRunning')).toHaveLength(writers.length - 1);
    });
  },

  /** A job whose process is gone is released once, and is that of no transaction that the process has begun. */
  async 'jobs/leases/take-job.ts interrupt'(start) {
    await withQueue(start, async (queue, kind) => {
      const { attempt } = await takeOne(start, queue, kind, 1);
      await setTimeout(5);
      const interruptAtOnce = () => each(() => interrupt({ queue, postgres: start.postgres }, attempt));
      await start.postgres.db.transaction().execute(async (transaction) => {
        expect(await isNewest(transaction, attempt)).toBe(true);
        expect(await interruptAtOnce()).toEqual(writers.map(() => false));
      });
      expect((await interruptAtOnce()).filter(Boolean)).toHaveLength(1);
      expect(await isNewest(start.postgres.db, attempt)).toBe(false);
      expect((await queue.find(kind.name, attempt.job))?.history.interruptions).toBe(1);
    });
  },

  /** A job that a process without others cancels several times at once is canceled, and leaves no row. */
  async 'jobs/leases/leases-alone.ts endWith'(start) {
    await withQueue(start, async (queue, kind) => {
      const id = await addJob(queue, kind);
      const leases = openLeasesAlone(queue, start.postgres, { onError: (error) => expect.fail(String(error)) });
      await each(async () => {
        const lease = await leases.takeToCancel(kind.name, id);
        if (typeof lease === 'boolean') return;
        await lease.end('over', (transaction) => queue.cancel(kind.name, id, transaction));
        await lease.close();
      });
      expect((await queue.find(kind.name, id))?.state).toBe('canceled');
      expect(await jobsToCancel(start.postgres.db, kind.name)).toEqual([]);
    });
  },

  /** Of the end of a job and its loss to another process, one counts. */
  async 'jobs/leases/held-jobs.ts end'(start) {
    await withQueue(start, async (queue, kind) => {
      for (const _round of writers) {
        const { job, attempt } = await takeOne(start, queue, kind, 1);
        await setTimeout(5);
        // Its clock has not noticed that the lease is over.
        const held = openHeldJobs(start.postgres, openAlone(), {
          ...{ process: attempt.process, leaseMs: 60_000 },
          onError: (error) => expect.fail(String(error)),
        });
        const lease = held.add(job, attempt, performance.now());
        const settle = () => lease.end('over', (db) => queue.settle(kind.name, job.id, { state: 'done' }, db));
        const [ended, interrupted] = await Promise.all([
          settle().then(
            () => true,
            () => false,
          ),
          interrupt({ queue, postgres: start.postgres }, attempt),
        ]);
        expect(ended).toBe(!interrupted);
        const left = await queue.find(kind.name, job.id);
        expect(left?.state).toBe(ended ? 'done' : 'waiting');
        if (!ended) await expect(lease.assertHeld()).rejects.toThrow('Another process may have taken the job');
        await held.close();
        await queue.cancel(kind.name, job.id);
      }
    });
  },
};

async function withQueue(
  { postgres }: Start,
  work: (queue: Queue, kind: JobKind<unknown>) => Promise<void>,
): Promise<void> {
  const queue = await openQueue(postgres, (error) => expect.fail(String(error)));
  const kind: JobKind<unknown> = {
    ...{ name: `kind-${newId()}`, input: z.object({}), hasKeys: false, runningMax: 1, runningPerProjectMax: 2 },
    ...{ attemptsMax: 1, retryDelaySeconds: 0, retryDelayMaxSeconds: 1 },
  };
  try {
    await queue.prepare(kind);
    await work(queue, kind);
  } finally {
    await queue.close();
  }
}

async function addJob(queue: Queue, kind: JobKind<unknown>, project = 'p'): Promise<string> {
  const id = newId();
  await queue.add(kind.name, { id, project, input: {} });
  return id;
}

async function takeOne(start: Start, queue: Queue, kind: JobKind<unknown>, leaseMs: number): Promise<Taken> {
  await addJob(queue, kind);
  return (await takeNext({ ...takingOf(start, queue, 'a process'), leaseMs }, kind, []))!;
}

function takingOf({ postgres }: Start, queue: Queue, process: string): Taking {
  return { queue, postgres, process, leaseMs: 60_000 };
}
