import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { newTestStore } from '../store/postgres/testing/test-postgres.ts';
import { FinalError, type JobKind, task } from './job-kind.ts';
import { openLeasesAlone } from './leases/leases-alone.ts';
import { openQueue } from './queue.ts';
import { startRunner } from './runner.ts';

const kind: JobKind<object> = {
  name: 'test',
  input: z.object({}),
  hasKeys: false,
  runningMax: 1,
  runningPerProjectMax: 1,
  attemptsMax: 1,
  retryDelaySeconds: 0,
  retryDelayMaxSeconds: 1,
};

test('a job that becomes due while the queue is read is run', async () => {
  const store = newTestStore();
  const postgres = await store.open();
  const queue = await openQueue(postgres, () => {});
  const slowQueue: typeof queue = {
    ...queue,
    async nextDueInMs(...asked) {
      await sleep(400); // `failed` is due again after 250 ms
      return queue.nextDueInMs(...asked);
    },
  };
  const leases = openLeasesAlone(queue, postgres, { onError: () => {} });
  let recordings = 0;
  const handler = {
    async run() {
      throw new FinalError('no');
    },
    async failed() {
      if (++recordings === 1) throw new Error('not yet');
    },
    canceled: async () => {},
  };
  const runner = await startRunner({ queue: slowQueue, leases }, task(kind, handler), {
    mayStart: () => true,
    onError: () => {},
  });
  onTestFinished(async () => {
    await runner.close(5000);
    await queue.close();
    await postgres.close();
    store.remove();
  });
  const id = uuidv7();
  await queue.add(kind.name, { id, project: 'p', input: {} });
  runner.wake();
  await vi.waitFor(async () => expect((await queue.find(kind.name, id))?.state).toBe('failed'), { timeout: 5000 });
});
