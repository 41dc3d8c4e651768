import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { letThreadsGiveWay } from './give-way.ts';

test.runIf(process.platform === 'linux')('the main thread goes before all others, whenever they start', async () => {
  await stat('/'); // starts the thread pool
  const before = getPriority(process.pid);
  letThreadsGiveWay();
  const module = JSON.stringify(new URL('./give-way.ts', import.meta.url).href);
  const code = `import(${module}).then(({ giveWay }) => { giveWay(); require('worker_threads').parentPort.postMessage(require('os').getPriority()); })`;
  const worker = new Worker(code, { eval: true });
  expect(await new Promise((resolve) => worker.once('message', resolve))).toBe(before + 3);
  await worker.terminate();
  expect(getPriority(process.pid)).toBe(before);
  const pool = threads().filter(({ name }) => name.startsWith('libuv'));
  expect(pool.length).toBeGreaterThan(0);
  for (const { nice } of pool) expect(nice).toBe(before + 3);
  for (const { name, nice } of threads()) if (name.startsWith('V8')) expect(nice).toBe(before);
});

function threads(): { name: string; nice: number }[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const line = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    const end = line.lastIndexOf(')');
    return { name: line.slice(line.indexOf('(') + 1, end), nice: Number(line.slice(end + 2).split(' ')[16]) };
  });
}
