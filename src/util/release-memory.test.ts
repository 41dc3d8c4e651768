import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const module = JSON.stringify(new URL('./release-memory.ts', import.meta.url).href);

/** Allocates 400 MB, then waits until half of it is returned. */
const program = `
import { releaseMemoryWhenIdle } from ${module};
releaseMemoryWhenIdle({ idleMs: 200 });
const resident = () => process.memoryUsage.rss();
let kept = [];
while (resident() < 400e6) {
  kept.push(Array.from({ length: 1000 }, (_, n) => ({ n })));
  if (kept.length > 2000) kept = [];
}
kept = [];
const before = resident();
while (resident() > before / 2) await new Promise((resolve) => setTimeout(resolve, 250));
console.log('released');
`;

test('a process that is idle after work returns its memory to the system', { timeout: 30_000 }, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { timeout: 25_000 });
  expect(stdout).toBe('released\n');
});

/**
 * Frees 300 MB in blocks of 64 KiB that are between blocks that stay: glibc keeps them, and V8 knows nothing of them. Waits
 * until half of them is returned.
 */
const scattered = `
import { releaseMemoryWhenIdle } from ${module};
releaseMemoryWhenIdle({ idleMs: 200 });
const resident = () => process.memoryUsage.rss();
const blocks = Array.from({ length: 10_000 }, (_, i) => Buffer.alloc(i % 2 === 0 ? 64_000 : 6_000, 1));
const kept = blocks.splice(0).filter((_, i) => i % 2 === 1);
const before = resident();
while (resident() > before - 150e6) await new Promise((resolve) => setTimeout(resolve, 250));
console.log('released', kept.length);
`;

test.skipIf(process.platform !== 'linux')(
  'memory that was freed between blocks in use is returned as well',
  { timeout: 30_000 },
  async () => {
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', scattered], { timeout: 25_000 });
    expect(stdout).toBe('released 5000\n');
  },
);

/** Prints the size of the heap with 400 MB of garbage, after more garbage, and after a collector was called each time. */
const collecting = `
import { getHeapStatistics } from 'node:v8';
import { garbageCollector } from ${module};
const megabytes = () => Math.round(getHeapStatistics().total_heap_size / 1e6);
const collect = garbageCollector();
const grow = (count) => Array.from({ length: count }, (_, n) => ({ n }));
const sizes = [];
for (const count of [1e7, 5e5]) {
  grow(count);
  sizes.push(megabytes());
  collect();
  sizes.push(megabytes());
}
console.log(JSON.stringify(sizes));
`;

test('a thread collects its garbage after large values, not after others', { timeout: 30_000 }, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', collecting], { timeout: 25_000 });
  const [large, afterLarge, small, afterSmall] = JSON.parse(stdout) as number[];
  expect(large).toBeGreaterThan(300);
  expect(afterLarge).toBeLessThan(50);
  expect(afterSmall).toBe(small);
});

/** Makes many collectors in each of eight threads, and prints with which code each thread ends. */
const concurrent = `
import { Worker } from 'node:worker_threads';
const thread = \`
  import { garbageCollector } from ${module};
  for (let i = 0; i < 200; i++) garbageCollector();
\`;
const url = new URL('data:text/javascript,' + encodeURIComponent(thread));
const codes = Array.from({ length: 8 }, () => {
  const worker = new Worker(url).on('error', () => {});
  return new Promise((resolve) => worker.once('exit', resolve));
});
console.log((await Promise.all(codes)).join(' '));
`;

test('threads that start at the same time all get a collector', { timeout: 60_000 }, async () => {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', concurrent], { timeout: 55_000 });
  expect(stdout).toBe('0 0 0 0 0 0 0 0\n');
});
