import { expect, onTestFinished, test } from 'vitest';
import { ProcessPool } from './process-pool.ts';
import type { HostileReply, HostileRequest } from './testing/hostile-process.ts';
import { childrenRunning } from './testing/isolation.ts';

const file = new URL('./testing/hostile-process.ts', import.meta.url);
const never = new AbortController().signal;

function started({ processesMax = 1, waitingMax = 100 } = {}): ProcessPool<HostileRequest, HostileReply> {
  const limits = { heapMb: 128, memoryMb: 128, niceness: 0 };
  const pool = new ProcessPool<HostileRequest, HostileReply>(file, limits, {
    processesMax,
    waitingMax,
    fullMessage: () => `at most ${waitingMax} may wait`,
  });
  onTestFinished(() => pool.close());
  return pool;
}

test('serves owners in turn, however many jobs one has', async () => {
  const pool = started();
  const order: string[] = [];
  const job = (user: string, project: string, name: string) =>
    pool.run([user, project], async () => void order.push(name), never);
  const first = job('eve', 'a', 'eve 1');
  await Promise.all([
    first,
    ...[2, 3, 4, 5].map((n) => job('eve', 'a', `eve ${n}`)),
    job('eve', 'b', 'eve, other project'),
    job('bob', 'c', 'bob 1'),
    job('bob', 'c', 'bob 2'),
  ]);
  expect(order).toEqual(['eve 1', 'bob 1', 'eve 2', 'bob 2', 'eve, other project', 'eve 3', 'eve 4', 'eve 5']);
});

test("endless jobs of one owner delay another's by one job, and are all stopped", async () => {
  const pool = started();
  const ended: string[] = [];
  const endless = Array.from({ length: 8 }, (_, n) =>
    pool
      .run(['eve', 'p'], (process) => process.call({ kind: 'loop' }, { timeoutMs: 50 }), never)
      .catch(() => ended.push(`eve ${n}`)),
  );
  const other = pool.run(
    ['bob', 'p'],
    (process) => process.call({ kind: 'echo', value: 7 }, { timeoutMs: 20_000 }),
    never,
  );
  expect(await other).toBe(7);
  expect(ended.length).toBeLessThanOrEqual(1);
  await Promise.all(endless);
  expect(ended).toHaveLength(8);
});

test('runs jobs in the configured number of processes, which end with the pool', async () => {
  const pool = started({ processesMax: 2 });
  const pids = await Promise.all(
    [1, 2, 3, 4].map((value) =>
      pool.run(
        ['ann', 'p'],
        async (process) => {
          await process.call({ kind: 'echo', value }, { timeoutMs: 20_000 });
          return process.pid!;
        },
        never,
      ),
    ),
  );
  expect(new Set(pids).size).toBe(2);
  await pool.close();
  for (const pid of pids) expect(childrenRunning('hostile-process')).not.toContain(pid);
  await expect(pool.run(['ann', 'p'], async () => 1, never)).rejects.toMatchObject({ reason: 'closed' });
});

test('a full queue rejects only the owner that fills it, with the limit', async () => {
  const pool = started({ waitingMax: 2 });
  const release = Promise.withResolvers<void>();
  const job = (user: string) => pool.run([user, 'p'], () => release.promise, never);
  const jobs = [job('eve'), job('eve'), job('eve')];
  expect(() => job('eve')).toThrow(expect.objectContaining({ kind: 'busy' }));
  expect(() => job('eve')).toThrow(/at most 2 may wait/);
  jobs.push(job('bob'));
  release.resolve();
  await Promise.all(jobs);
});

test('repeats a job whose process has used up its processor time in another process', async () => {
  const pool = started();
  const pids: number[] = [];
  const done = await pool.run(
    ['ann', 'p'],
    async (isolated) => {
      pids.push(isolated.pid!);
      await isolated.call({ kind: 'echo', value: 1 }, { timeoutMs: 20_000 });
      if (pids.length === 1) setImmediate(() => process.kill(pids[0]!, 'SIGXCPU'));
      return isolated.call(pids.length === 1 ? { kind: 'loop' } : { kind: 'echo', value: 2 }, { timeoutMs: 20_000 });
    },
    never,
  );
  expect([done, new Set(pids).size]).toEqual([2, 2]);
});

test('does not run a job that is cancelled while it waits', async () => {
  const pool = started();
  const controller = new AbortController();
  const done: string[] = [];
  const first = pool.run(['ann', 'p'], async () => void done.push('first'), never);
  const second = pool.run(['ann', 'p'], async () => void done.push('second'), controller.signal);
  controller.abort();
  await expect(second).rejects.toMatchObject({ name: 'AbortError' });
  await first;
  expect(done).toEqual(['first']);
});
