import { describe, expect, onTestFinished, test } from 'vitest';
import { RestartingWorker } from './restarting-worker.ts';
import { childProcess, type StartWorker, thread } from './start-worker.ts';
import { CountingError } from './testing/counting-error.ts';
import type { CountingWorker } from './testing/counting-worker.ts';
import { childrenRunning } from './testing/isolation.ts';
import { WorkerClient, WorkerLost, type WorkerOptions } from './worker-client.ts';

const file = new URL('./testing/counting-worker.ts', import.meta.url);
const kinds: [string, StartWorker][] = [
  ['a thread', thread(file)],
  ['a child process', childProcess(file, [], { env: {}, execArgv: [] })],
];

describe.each(kinds)('%s', (kind, start) => {
  function started(options: WorkerOptions = {}): WorkerClient<CountingWorker> {
    const worker = new WorkerClient<CountingWorker>(start, options);
    onTestFinished(() => worker.kill());
    return worker;
  }

  test('answers requests, each with its own result', async () => {
    const worker = started();
    const values = Array.from({ length: 500 }, (_, i) => i);
    const doubled = values.map((value) => value * 2);
    expect(await Promise.all(values.map((value) => worker.request('double', value)))).toEqual(doubled);
    expect(await Promise.all(worker.requestTogether('double', values))).toEqual(doubled);
    expect(await worker.request('isThread', null)).toBe(kind === 'a thread');
    expect((await worker.request('bytes', 1_000)).every((byte) => byte === 7)).toBe(true);
  });

  test('sends events before the result', async () => {
    const events: number[] = [];
    const result = await started().request('count', 5, { onEvent: (event) => events.push(event) });
    expect([events, result]).toEqual([[1, 2, 3, 4, 5], 'done']);
  });

  test('cancels a request on both sides, and no other', async () => {
    const worker = started();
    const controller = new AbortController();
    const { promise: counting, resolve } = Promise.withResolvers<void>();
    const cancelled = worker.request('count', 1e9, { signal: controller.signal, onEvent: () => resolve() });
    const other = worker.request('count', 100);
    await counting;
    controller.abort(new Error('no longer wanted'));
    await expect(cancelled).rejects.toThrow('no longer wanted');
    expect(await other).toBe('done');
    await expect.poll(() => worker.request('cancelled', null)).toBe(1);
    await expect(worker.request('double', 1, { signal: controller.signal })).rejects.toThrow('no longer wanted');
  });

  test('throws the errors of the worker with their class and fields', async () => {
    const error = await started({ errors: [CountingError] })
      .request('fail', 3)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(CountingError);
    expect(error).toMatchObject({ message: 'failed', count: 3 });
    const unknown = await started()
      .request('fail', 3)
      .catch((thrown) => thrown);
    expect([unknown instanceof CountingError, unknown.message]).toEqual([false, 'failed']);
  });

  test('fails every request once the worker has crashed, and reports its end once', async () => {
    const ends: boolean[] = [];
    const worker = started({ onEnd: (_, isExpected) => ends.push(isExpected) });
    const waiting = worker.request('never', null);
    await worker.request('crash', null);
    await expect(waiting).rejects.toThrow(WorkerLost);
    expect(worker.isAlive).toBe(false);
    await expect(worker.request('double', 1)).rejects.toThrow(WorkerLost);
    expect(ends).toEqual([false]);
  });

  test('ends when it is closed, and kills what does not finish', async () => {
    const idle = started();
    await idle.request('double', 1);
    await idle.close(60_000);
    const busy = started();
    const waiting = busy.request('never', null);
    await Promise.all([busy.close(60_000), expect(waiting).rejects.toMatchObject({ end: null })]);
    expect([idle.isAlive, busy.isAlive]).toEqual([false, false]);
    expect(childrenRunning('counting-worker')).toEqual([]);
  });

  test('a restarting worker starts again after a crash and after it was closed', async () => {
    const worker = new RestartingWorker<CountingWorker>(start);
    onTestFinished(() => worker.close());
    const waiting = worker.request('never', null);
    await worker.request('crash', null);
    await expect(waiting).rejects.toThrow(WorkerLost);
    expect(await worker.request('double', 1)).toBe(2);
    await worker.close();
    expect(childrenRunning('counting-worker')).toEqual([]);
    expect(await worker.request('double', 2)).toBe(4);
  });
});
