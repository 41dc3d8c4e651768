import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { IsolatedProcess, type IsolationLost } from './isolated-process.ts';
import type { HostileReply, HostileRequest } from './testing/hostile-process.ts';
import { childrenRunning } from './testing/isolation.ts';

const file = new URL('./testing/hostile-process.ts', import.meta.url);
const options = { timeoutMs: 20_000 };
const echo = (value: number): HostileRequest => ({ kind: 'echo', value });
const lost = (reason: IsolationLost['reason'], isCulprit: boolean) =>
  expect.objectContaining({ name: 'IsolationLost', reason, isCulprit });

function started({ idleMs = 60_000 } = {}): IsolatedProcess<HostileRequest, HostileReply> {
  const limits = { heapMb: 128, memoryMb: 128, niceness: 7 };
  const isolated = new IsolatedProcess<HostileRequest, HostileReply>(file, limits, { idleMs });
  onTestFinished(() => isolated.close());
  return isolated;
}

test('answers requests in order, those sent together in one message', async () => {
  const isolated = started();
  const values = Array.from({ length: 1_000 }, (_, value) => value);
  expect(await Promise.all(values.map((value) => isolated.call(echo(value), options)))).toEqual(values);
});

test("the process has none of the server's environment, and a low priority", async () => {
  process.env.SOME_SECRET = 'secret';
  onTestFinished(() => {
    delete process.env.SOME_SECRET;
  });
  const found = (await started().call({ kind: 'surroundings' }, options)) as Exclude<HostileReply, number>;
  expect(found.environment.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  expect(found.niceness).toBe(7);
});

test.each<[HostileRequest, IsolationLost['reason']]>([
  [{ kind: 'loop' }, 'time'],
  [{ kind: 'allocate', outsideTheHeap: false }, 'crash'],
  [{ kind: 'abort' }, 'crash'],
])('blames %j for ending the process, and not what waited', async (request, reason) => {
  const isolated = started();
  await isolated.call(echo(1), options);
  const timeoutMs = request.kind === 'loop' ? 200 : 60_000;
  const hostile = isolated.call(request, { timeoutMs });
  await Promise.resolve(); // it is sent
  const waiting = isolated.call(echo(2), options);
  const [first, second] = await Promise.allSettled([hostile, waiting]);
  expect(first).toMatchObject({ status: 'rejected', reason: lost(reason, true) });
  expect(second).toMatchObject({ status: 'rejected', reason: lost(reason, false) });
  expect(isolated.isAlive).toBe(false);
  await expect(isolated.call(echo(3), options)).rejects.toEqual(lost('closed', false));
});

test('limits memory outside of the heap too', async () => {
  const isolated = started();
  const call = isolated.call({ kind: 'allocate', outsideTheHeap: true }, { timeoutMs: 60_000 });
  await expect(call).rejects.toThrow(/allocat|crashed/);
});

test('blames none of the requests that were sent together', async () => {
  const isolated = started();
  await isolated.call(echo(1), options);
  const sent = [isolated.call(echo(2), { timeoutMs: 200 }), isolated.call({ kind: 'loop' }, { timeoutMs: 200 })];
  for (const each of await Promise.allSettled(sent)) {
    expect(each).toMatchObject({ status: 'rejected', reason: lost('time', false) });
  }
});

test('endless recursion is an ordinary error', async () => {
  const isolated = started();
  await expect(isolated.call({ kind: 'recurse' }, options)).rejects.toThrow(/call stack/);
  expect(await isolated.call(echo(1), options)).toBe(1);
});

test('after a fatal error the process ends, and what followed was not begun', async () => {
  const isolated = started();
  const [first, second] = await Promise.allSettled([
    isolated.call({ kind: 'fatal' }, options),
    isolated.call(echo(1), options),
  ]);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'poisoned' } });
  expect(second).toMatchObject({ status: 'rejected', reason: lost('crash', false) });
  expect(isolated.isAlive).toBe(false);
});

test('cancelling a request that has begun ends the process', async () => {
  const isolated = started();
  const controller = new AbortController();
  await isolated.call(echo(1), options);
  const call = isolated.call({ kind: 'loop' }, { timeoutMs: 60_000, signal: controller.signal });
  await Promise.resolve();
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  expect(isolated.isAlive).toBe(false);
});

test('an idle process ends, and so does a closed one', async () => {
  const idle = started({ idleMs: 1 });
  await idle.call(echo(1), options);
  await expect.poll(() => idle.isAlive, { timeout: 20_000 }).toBe(false);
  const closed = started();
  await closed.call(echo(1), options);
  await closed.close();
  expect(childrenRunning('hostile-process')).not.toContain(closed.pid);
});

test('ends when the process that started it is killed', async () => {
  const module = JSON.stringify(new URL('./isolated-process.ts', import.meta.url));
  const program = `const { IsolatedProcess } = await import(${module});
    const isolated = new IsolatedProcess(new URL(${JSON.stringify(file)}), { heapMb: 128, memoryMb: 128, niceness: 0 }, { idleMs: 60000 });
    await isolated.call({ kind: 'echo', value: 1 }, { timeoutMs: 20000 });
    console.log(isolated.pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(String(line));
  expect(isRunning(pid)).toBe(true);
  parent.kill('SIGKILL');
  await expect.poll(() => isRunning(pid), { timeout: 20_000 }).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
