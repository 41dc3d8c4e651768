import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { openAlone } from '../store/peers/alone.ts';
import type { Postgres } from '../store/postgres/postgres.ts';
import { newTestStore } from '../store/postgres/testing/test-postgres.ts';
import { FinalError, JobCanceled, type JobHandler, type JobKind, type RunningJob, task } from './job-kind.ts';
import { type Jobs, openJobs } from './jobs.ts';

type Input = { name: string };

const kind: JobKind<Input> = {
  name: 'test',
  input: z.object({ name: z.string() }),
  hasKeys: false,
  runningMax: 1,
  runningPerProjectMax: 1,
  attemptsMax: 2,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 1,
};

/** One store for all tests, since opening one takes longer than a test. */
const store = newTestStore();
let jobs: Jobs;
let postgres: Postgres;
let errors: unknown[] = [];
let isFull = false;

beforeAll(async () => {
  postgres = await store.open();
});
afterEach(async () => {
  await jobs.close();
  const { schema } = postgres.jobs;
  await postgres.executeSql(`DROP TRIGGER IF EXISTS refuse ON ${schema}.job`);
  await postgres.executeSql(`DELETE FROM ${schema}.job`);
  await postgres.executeSql(`DELETE FROM ${schema}.queue`);
});
afterAll(async () => {
  await postgres.close();
  store.remove();
});

async function open(tested: JobKind<Input>, handler: Partial<JobHandler<Input>>): Promise<void> {
  errors = [];
  jobs = await openJobs(postgres, openAlone(), { mayStart: () => !isFull, onError: (error) => errors.push(error) });
  const unexpected = async () => {
    throw new Error('unexpected call of a handler');
  };
  await jobs.start([task(tested, { run: unexpected, failed: unexpected, canceled: unexpected, ...handler })]);
}

/** Opens the same store again, as after `kill -9`: running jobs are abandoned without any update of the store. */
async function crashAndOpen(tested: JobKind<Input>, handler: Partial<JobHandler<Input>>): Promise<void> {
  await postgres.close();
  postgres = await store.open();
  await open(tested, handler);
}

async function add(name: string, project = 'p', key?: string, id = uuidv7()): Promise<string> {
  await jobs.add(kind, { id, project, input: { name }, ...(key === undefined ? {} : { key }) });
  return id;
}

const stateOf = async (id: string) => (await jobs.find(kind, id))?.state;
const becomes = (id: string, state: string) => vi.waitFor(async () => expect(await stateOf(id)).toBe(state), waiting);
const waiting = { timeout: 5000, interval: 20 };
const untilAborted = ({ signal }: RunningJob) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('runs an added job once, and reports its progress', async () => {
  const ran: string[] = [];
  const goOn = Promise.withResolvers<void>();
  await open(kind, {
    async run({ name }, job) {
      ran.push(name);
      job.report({ done: 1, total: 3 });
      await goOn.promise;
    },
  });
  const id = await add('a');
  await vi.waitFor(async () => expect((await jobs.find(kind, id))?.progress).toEqual({ done: 1, total: 3 }), waiting);
  goOn.resolve();
  await becomes(id, 'done');
  expect(ran).toEqual(['a']);
});

test('adds a job with the same id only once', async () => {
  const run = vi.fn(async () => {});
  await open(kind, { run });
  const id = uuidv7();
  expect(await jobs.add(kind, { id, project: 'p', input: { name: 'a' } })).toBe(true);
  expect(await jobs.add(kind, { id, project: 'p', input: { name: 'a' } })).toBe(false);
  await becomes(id, 'done');
  expect(run).toHaveBeenCalledTimes(1);
});

test('adds a job together with the rest of a transaction, or not at all', async () => {
  await open(kind, { run: async () => {} });
  const [kept, dropped] = [uuidv7(), uuidv7()];
  const addIn = (id: string, end: () => void) =>
    postgres.db.transaction().execute(async (transaction) => {
      await jobs.add(kind, { id, project: 'p', input: { name: 'a' }, transaction });
      end();
    });
  await addIn(kept, () => {});
  const rollBack = () => {
    throw new Error('rolled back');
  };
  await expect(addIn(dropped, rollBack)).rejects.toThrow('rolled back');
  await becomes(kept, 'done');
  expect(await stateOf(dropped)).toBeUndefined();
});

test('tries a failed job again, and calls `failed` once after its last attempt', async () => {
  const attempts: number[] = [];
  const failed = vi.fn(async () => {});
  await open(kind, {
    async run(_, { attempt }) {
      attempts.push(attempt);
      throw new Error(`failure ${attempt}`);
    },
    failed,
  });
  const id = await add('a');
  await becomes(id, 'failed');
  expect(attempts).toEqual([1, 2]);
  expect(failed).toHaveBeenCalledTimes(1);
  expect(await jobs.find(kind, id)).toMatchObject({ error: 'failure 2' });
});

test('does not try a job again after a final error', async () => {
  const run = vi.fn(async () => {
    throw new FinalError('the model does not exist');
  });
  await open(kind, { run, failed: async () => {} });
  await becomes(await add('a'), 'failed');
  expect(run).toHaveBeenCalledTimes(1);
});

test('calls `failed` again until it succeeds', async () => {
  let calls = 0;
  const run = vi.fn(async () => {
    throw new FinalError('no');
  });
  await open(kind, {
    run,
    async failed() {
      if (++calls < 3) throw new Error('the store does not respond');
    },
  });
  await becomes(await add('a'), 'failed');
  expect(calls).toBe(3);
  expect(run).toHaveBeenCalledTimes(1);
});

test('fails a job whose error has text that PostgreSQL cannot store', async () => {
  const message = 'found "\0" and "\ud800"';
  const run = async ({ name }: Input) => {
    if (name === 'bad') throw new FinalError(message);
  };
  await open(kind, { run, failed: async () => {} });
  const [bad, good] = [await add('bad'), await add('good', 'q')];
  await becomes(bad, 'failed');
  await becomes(good, 'done');
  expect((await jobs.find(kind, bad))?.error).toBe('found "\ufffd" and "\ufffd"');
  expect(errors).toEqual([]);
});

test('calls `failed` with an error that quotes nothing, if the error of the job cannot be recorded', async () => {
  const seen: string[] = [];
  await open(kind, {
    run: async ({ name }) => {
      if (name === 'bad') throw new FinalError('unstorable');
    },
    async failed(_, error) {
      seen.push((error as Error).message);
      if (seen.at(-1) === 'unstorable') throw new Error('refused');
    },
  });
  const [bad, good] = [await add('bad'), await add('good', 'q')];
  await becomes(good, 'done');
  await becomes(bad, 'failed');
  expect(seen).toEqual(['unstorable', 'unstorable', 'unstorable', expect.stringMatching(/^The job failed\./)]);
});

test('a job whose end cannot be stored holds up no other, and can be canceled', async () => {
  const ran: string[] = [];
  await open(kind, {
    run: async ({ name }) => {
      ran.push(name);
      if (name === 'bad') throw new FinalError('no');
    },
    failed: async () => {},
    canceled: async () => {},
  });
  await postgres.executeSql(`
    CREATE FUNCTION refuse() RETURNS trigger AS $$
    BEGIN
      IF NEW.data ->> 'name' = 'bad' AND NEW.state = 'completed' THEN RAISE EXCEPTION 'refused'; END IF;
      RETURN NEW;
    END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refuse BEFORE UPDATE ON ${postgres.jobs.schema}.job FOR EACH ROW EXECUTE FUNCTION refuse();`);
  const [bad, good] = [await add('bad'), await add('good', 'q')];
  await becomes(good, 'done');
  expect(await jobs.cancel(kind, bad)).toBe(true);
  expect(await stateOf(bad)).toBe('canceled');
  expect(ran).toEqual(['bad', 'good']);
});

test('fails a job whose stored input is invalid', async () => {
  await open(kind, {});
  const id = uuidv7();
  await jobs.add(kind as never, { id, project: 'p', input: { name: 1 } });
  await becomes(id, 'failed');
});

test('starts jobs again at once after a crash, without counting it as an attempt', async () => {
  const never = new Promise<never>(() => {});
  const started = vi.fn();
  await open(kind, {
    run: () => {
      started();
      return never;
    },
  });
  const id = await add('a');
  await vi.waitFor(() => expect(started).toHaveBeenCalled(), waiting);
  const attempts: number[] = [];
  await crashAndOpen(kind, {
    async run(_, { attempt }) {
      attempts.push(attempt);
    },
  });
  await becomes(id, 'done');
  expect(attempts).toEqual([1]);
});

test('delays a job after its process has crashed several times', async () => {
  const started = vi.fn();
  const run = () => {
    started();
    return new Promise<never>(() => {});
  };
  await open(kind, { run });
  const id = await add('a');
  for (let starts = 1; starts <= 4; starts++) {
    await vi.waitFor(() => expect(started).toHaveBeenCalledTimes(starts), waiting);
    await crashAndOpen(kind, { run });
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(started).toHaveBeenCalledTimes(4);
  expect(await stateOf(id)).toBe('waiting');
});

test('interrupts running jobs at a shutdown, and continues them at the next start', async () => {
  const started = vi.fn();
  await open(kind, {
    run: (_, job) => {
      started();
      return untilAborted(job);
    },
  });
  const id = await add('a');
  await vi.waitFor(() => expect(started).toHaveBeenCalled(), waiting);
  await jobs.stop();
  const added = await add('b'); // a request that is still answered
  expect([await stateOf(id), await stateOf(added)]).toEqual(['waiting', 'waiting']);
  await jobs.close();
  const attempts: number[] = [];
  await crashAndOpen(kind, {
    async run(_, { attempt }) {
      attempts.push(attempt);
    },
  });
  await becomes(id, 'done');
  await becomes(added, 'done');
  expect(attempts).toEqual([1, 1]);
  expect(started).toHaveBeenCalledOnce();
});

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
  expect(await jobs.cancel(kind, second)).toBe(true);
  expect(await jobs.cancel(kind, first)).toBe(true);
  expect(canceled).toEqual(['second', 'first']);
  expect(reasons).toEqual([expect.any(JobCanceled)]);
  expect([await stateOf(first), await stateOf(second)]).toEqual(['canceled', 'canceled']);
  expect(await jobs.cancel(kind, first)).toBe(false);
  expect(await jobs.cancel(kind, uuidv7())).toBe(false);
});

/** Keeps a job running or being canceled until the process ends. */
const never = new Promise<never>(() => {});
const attemptsKept = () => postgres.db.selectFrom('job_attempts').selectAll().execute();
const askToCancel = (id: string, end = () => {}) =>
  postgres.db.transaction().execute(async (transaction) => {
    await jobs.askToCancel(kind, id, transaction);
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
  void jobs.cancel(kind, id);
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
  const canceled = jobs.cancel(kind, running);
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
  await expect(jobs.cancel(kind, id)).rejects.toThrow('the store does not respond');
  await becomes(id, 'done');
  expect(await attemptsKept()).toEqual([]);
});

test('runs jobs with the same key one after another, in order, while a failed one waits for its next attempt', async () => {
  const keyed = { ...kind, name: 'keyed', hasKeys: true, runningMax: 3, runningPerProjectMax: 3, retryDelaySeconds: 1 };
  const log: string[] = [];
  await open(keyed, {
    async run({ name }, { attempt }) {
      log.push(`${name} ${attempt}`);
      if (name === 'a1' && attempt === 1) throw new Error('try again');
      await new Promise((resolve) => setTimeout(resolve, 20));
      log.push(`${name} done`);
    },
    failed: async () => {},
  });
  const ids: string[] = [];
  for (const [name, key] of [
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
    ['a3', 'a'],
  ] as const) {
    const id = uuidv7();
    ids.push(id);
    await jobs.add(keyed, { id, project: 'p', key, input: { name } });
  }
  for (const id of ids) {
    await vi.waitFor(async () => expect((await jobs.find(keyed, id))?.state).toBe('done'), waiting);
  }
  expect(log.filter((line) => line.startsWith('a'))).toEqual([
    'a1 1',
    'a1 2',
    'a1 done',
    'a2 1',
    'a2 done',
    'a3 1',
    'a3 done',
  ]);
  expect(log.indexOf('b1 done')).toBeLessThan(log.indexOf('a1 2'));
});

test('a failed job with a key does not block the next one', async () => {
  const keyed = { ...kind, name: 'keyed', hasKeys: true };
  await open(keyed, {
    async run({ name }) {
      if (name === 'bad') throw new FinalError('no');
    },
    failed: async () => {},
  });
  await jobs.add(keyed, { id: uuidv7(), project: 'p', key: 'a', input: { name: 'bad' } });
  const id = uuidv7();
  await jobs.add(keyed, { id, project: 'p', key: 'a', input: { name: 'good' } });
  await vi.waitFor(async () => expect((await jobs.find(keyed, id))?.state).toBe('done'), waiting);
});

test('projects take turns', async () => {
  const order: string[] = [];
  const goOn = Promise.withResolvers<void>();
  await open(kind, {
    async run({ name }) {
      await goOn.promise;
      order.push(name);
    },
  });
  await add('large 1', 'large');
  await add('large 2', 'large');
  await add('large 3', 'large');
  await add('small 1', 'small');
  const last = await add('small 2', 'small');
  goOn.resolve();
  await becomes(last, 'done');
  expect(order.slice(0, 4)).toEqual(['large 1', 'small 1', 'large 2', 'small 2']);
});

test('runs several jobs at once, up to the limits of the kind and of a project', async () => {
  const wide = { ...kind, name: 'wide', runningMax: 3, runningPerProjectMax: 2 };
  const running = new Set<string>();
  const goOn = Promise.withResolvers<void>();
  await open(wide, {
    async run({ name }) {
      running.add(name);
      await goOn.promise;
    },
  });
  for (const [project, name] of [
    ['p', 'p1'],
    ['p', 'p2'],
    ['p', 'p3'],
    ['q', 'q1'],
    ['q', 'q2'],
  ] as const) {
    await jobs.add(wide, { id: uuidv7(), project, input: { name } });
  }
  await vi.waitFor(() => expect(running.size).toBe(3), waiting);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([...running].sort()).toEqual(['p1', 'p2', 'q1']);
  goOn.resolve();
  await vi.waitFor(() => expect(running.size).toBe(5), waiting);
});

test('starts no job while starting is not allowed', async () => {
  const run = vi.fn(async () => {});
  await open(kind, { run });
  isFull = true;
  const id = await add('a');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(run).not.toHaveBeenCalled();
  isFull = false;
  await becomes(id, 'done');
});
