import { v7 as uuidv7 } from 'uuid';
import { expect, test, vi } from 'vitest';
import { FinalError } from './job-kind.ts';
import { jobsForFile, kind, untilAborted, waiting } from './testing/jobs-for-file.ts';

const file = jobsForFile();
const { add, becomes, crashAndOpen, open, stateOf } = file;

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
  await vi.waitFor(
    async () => expect((await file.jobs.find(kind, id))?.progress).toEqual({ done: 1, total: 3 }),
    waiting,
  );
  goOn.resolve();
  await becomes(id, 'done');
  expect(ran).toEqual(['a']);
});

test('adds a job with the same id only once', async () => {
  const run = vi.fn(async () => {});
  await open(kind, { run });
  const id = uuidv7();
  expect(await file.jobs.add(kind, { id, project: 'p', input: { name: 'a' } })).toBe(true);
  expect(await file.jobs.add(kind, { id, project: 'p', input: { name: 'a' } })).toBe(false);
  await becomes(id, 'done');
  expect(run).toHaveBeenCalledTimes(1);
});

test('adds a job together with the rest of a transaction, or not at all', async () => {
  await open(kind, { run: async () => {} });
  const [kept, dropped] = [uuidv7(), uuidv7()];
  const addIn = (id: string, end: () => void) =>
    file.postgres.db.transaction().execute(async (transaction) => {
      await file.jobs.add(kind, { id, project: 'p', input: { name: 'a' }, transaction });
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
  expect(await file.jobs.find(kind, id)).toMatchObject({ error: 'failure 2' });
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
  const run = async ({ name }: { name: string }) => {
    if (name === 'bad') throw new FinalError(message);
  };
  await open(kind, { run, failed: async () => {} });
  const [bad, good] = [await add('bad'), await add('good', 'q')];
  await becomes(bad, 'failed');
  await becomes(good, 'done');
  expect((await file.jobs.find(kind, bad))?.error).toBe('found "\ufffd" and "\ufffd"');
  expect(file.errors).toEqual([]);
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
  await file.postgres.executeSql(`
    CREATE FUNCTION refuse() RETURNS trigger AS $$
    BEGIN
      IF NEW.data ->> 'name' = 'bad' AND NEW.state = 'completed' THEN RAISE EXCEPTION 'refused'; END IF;
      RETURN NEW;
    END $$ LANGUAGE plpgsql;
    CREATE TRIGGER refuse BEFORE UPDATE ON ${file.postgres.jobs.schema}.job FOR EACH ROW EXECUTE FUNCTION refuse();`);
  const [bad, good] = [await add('bad'), await add('good', 'q')];
  await becomes(good, 'done');
  expect(await file.jobs.cancel(kind, bad)).toBe(true);
  expect(await stateOf(bad)).toBe('canceled');
  expect(ran).toEqual(['bad', 'good']);
});

test('fails a job whose stored input is invalid', async () => {
  await open(kind, {});
  const id = uuidv7();
  await file.jobs.add(kind as never, { id, project: 'p', input: { name: 1 } });
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
  await file.jobs.stop();
  const added = await add('b'); // a request that is still answered
  expect([await stateOf(id), await stateOf(added)]).toEqual(['waiting', 'waiting']);
  await file.jobs.close();
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
    await file.jobs.add(keyed, { id, project: 'p', key, input: { name } });
  }
  for (const id of ids) {
    await vi.waitFor(async () => expect((await file.jobs.find(keyed, id))?.state).toBe('done'), waiting);
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
  await file.jobs.add(keyed, { id: uuidv7(), project: 'p', key: 'a', input: { name: 'bad' } });
  const id = uuidv7();
  await file.jobs.add(keyed, { id, project: 'p', key: 'a', input: { name: 'good' } });
  await vi.waitFor(async () => expect((await file.jobs.find(keyed, id))?.state).toBe('done'), waiting);
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
    await file.jobs.add(wide, { id: uuidv7(), project, input: { name } });
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
  file.disk.isFull = true;
  const id = await add('a');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(run).not.toHaveBeenCalled();
  file.disk.isFull = false;
  await becomes(id, 'done');
});
