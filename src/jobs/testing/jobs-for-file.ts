import { v7 as uuidv7 } from 'uuid';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';
import { z } from 'zod';
import { openAlone } from '../../store/peers/alone.ts';
import type { Postgres } from '../../store/postgres/postgres.ts';
import { newTestStore } from '../../store/postgres/testing/test-postgres.ts';
import { type JobHandler, type JobKind, type RunningJob, task } from '../job-kind.ts';
import { type Jobs, openJobs } from '../jobs.ts';

type Input = { name: string };

export const kind: JobKind<Input> = {
  name: 'test',
  input: z.object({ name: z.string() }),
  hasKeys: false,
  runningMax: 1,
  runningPerProjectMax: 1,
  attemptsMax: 2,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 1,
};

export const waiting = { timeout: 5000, interval: 20 };

export const untilAborted = ({ signal }: RunningJob) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** The jobs of a process that is alone, for one test file: one store for all tests, since opening one takes longer than a test. */
export function jobsForFile() {
  const store = newTestStore();
  let jobs: Jobs;
  let postgres: Postgres;
  let errors: unknown[] = [];
  const disk = { isFull: false };

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
    const options = { mayStart: () => !disk.isFull, onError: (error: unknown) => void errors.push(error) };
    jobs = await openJobs(postgres, openAlone(), options);
    const unexpected = async () => {
      throw new Error('unexpected call of a handler');
    };
    await jobs.start([task(tested, { run: unexpected, failed: unexpected, canceled: unexpected, ...handler })]);
  }

  const stateOf = async (id: string) => (await jobs.find(kind, id))?.state;

  return {
    disk,
    get jobs() {
      return jobs;
    },
    get postgres() {
      return postgres;
    },
    get errors() {
      return errors;
    },
    open,
    stateOf,

    /** Opens the same store again, as after `kill -9`: running jobs are abandoned without any update of the store. */
    async crashAndOpen(tested: JobKind<Input>, handler: Partial<JobHandler<Input>>): Promise<void> {
      await postgres.close();
      postgres = await store.open();
      await open(tested, handler);
    },

    async add(name: string, project = 'p', key?: string, id = uuidv7()): Promise<string> {
      await jobs.add(kind, { id, project, input: { name }, ...(key === undefined ? {} : { key }) });
      return id;
    },

    becomes: (id: string, state: string) => vi.waitFor(async () => expect(await stateOf(id)).toBe(state), waiting),
  };
}
