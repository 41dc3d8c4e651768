import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { JobCanceled } from './job-kind.ts';
import { jobsForFile, kind, untilAborted, waiting } from './testing/jobs-for-file.ts';

const file = jobsForFile();
const { add, becomes, crashAndOpen, open, stateOf } = file;

test('cancels a running job and a waiting one', async () => {
  const canceled: string[] = [];
  const reasons: unknown[] = [];
  await open(kind, {
    run: (_, job) =>
      untilAborted(job).catch((reason) => {
        reasons.push(reason);
        throw reason;
      }),
    async canceled({ name }) {
      canceled.push(name);
    },
  });
  const [first, second] = [await add('first'), await add('second')];
  await becomes(first, 'active');
  expect(await file.jobs.cancel(kind, second)).toBe(true);
  expect(await file.jobs.cancel(kind, first)).toBe(true);
  expect(canceled).toEqual(['second', 'first']);
  expect(reasons).toEqual([expect.any(JobCanceled)]);
  expect([await stateOf(first), await stateOf(second)]).toEqual(['canceled', 'canceled']);
  expect(await file.jobs.cancel(kind, first)).toBe(false);
  expect(await file.jobs.cancel(kind, uuidv7())).toBe(false);
});

/** Keeps a job running or being canceled until the process ends. */
const never = new Promise<never>(() => {});
const attemptsKept = () => file.postgres.db.selectFrom('job_attempts').selectAll().execute();
const askToCancel = (id: string, end = () => {}) =>
  file.postgres.db.transaction().execute(async (transaction) => {
    await file.jobs.askToCancel(kind, id, transaction);
    end();
  });

test('jobs that are to be canceled are not run again after a crash', async () => {
  await open(kind, { run: () => never });
  const [running, waits, goesOn] = [await add('running'), await add('waits'), await add('goes on')];
  await becomes(running, 'active');
  for (const id of [running, waits]) await askToCancel(id);
  const rollBack = () => {
    throw new Error('rolled back');
  };
  await expect(askToCancel(goesOn, rollBack)).rejects.toThrow('rolled back');
  const [ran, canceled]: [string[], string[]] = [[], []];
  await crashAndOpen(kind, {
    run: async ({ name }) => void ran.push(name),
    canceled: async ({ name }) => void canceled.push(name),
  });
  await becomes(goesOn, 'done');
  for (const id of [running, waits]) await becomes(id, 'canceled');
  expect([ran, canceled.toSorted()]).toEqual([['goes on'], ['running', 'waits']]);
  expect(await attemptsKept()).toEqual([]);
});

test('a cancellation that was recorded, but not stored as the end of its job, is completed after a crash', async () => {
  const recorded = Promise.withResolvers<void>();
  await open(kind, {
    run: (_, job) => untilAborted(job),
    canceled() {
      recorded.resolve();
      return never;
    },
  });
  const id = await add('a');
  await becomes(id, 'active');
  void file.jobs.cancel(kind, id);
  await recorded.promise;
  const canceled = vi.fn(async () => {});
  await crashAndOpen(kind, { canceled });
  await becomes(id, 'canceled');
  expect(canceled).toHaveBeenCalledOnce();
});

test('a job that ends before it is stopped is not canceled, and its cancellation is forgotten', async () => {
  const goOn = Promise.withResolvers<void>();
  await open(kind, { run: () => goOn.promise });
  const [running, ended] = [await add('running'), await add('ended')];
  await becomes(running, 'active');
  const canceled = file.jobs.cancel(kind, running);
  await vi.waitFor(async () => expect(await attemptsKept()).toHaveLength(1), waiting);
  goOn.resolve();
  expect(await canceled).toBe(false);
  await becomes(ended, 'done');
  await askToCancel(ended);
  expect(await attemptsKept()).toEqual([]);
});

test('a job continues if its cancellation cannot be recorded', async () => {
  let calls = 0;
  await open(kind, {
    run: (_, job) => (++calls === 1 ? untilAborted(job) : Promise.resolve()),
    canceled: () => Promise.reject(new Error('the store does not respond')),
  });
  const id = await add('a');
  await becomes(id, 'active');
  await expect(file.jobs.cancel(kind, id)).rejects.toThrow('the store does not respond');
  await becomes(id, 'done');
  expect(await attemptsKept()).toEqual([]);
});
