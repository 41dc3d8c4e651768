import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The largest share of its time that an idle main thread is busy. */
const utilizationMax = 0.01;
/** Memory must have grown by this much since the last collection. */
const growthBytesMin = 64 * 1024 * 1024;

/**
 * Returns memory to the system when the process becomes idle, once after each period of work. V8 frees the pages of
 * garbage only while a program allocates: after a busy minute an idle process keeps hundreds of megabytes. A collection
 * blocks the main thread for 0.1 to 0.3 s. glibc keeps what was freed between two blocks that are still used: 200 MB after
 * many large requests. While the process is busy neither is done: `malloc_trim` holds locks that the main thread needs.
 * Call this once in a process: it never stops.
 */
export function releaseMemoryWhenIdle({ idleMs = 5_000 } = {}): void {
  const collect = collector();
  let utilization = performance.eventLoopUtilization();
  let keptBytes = 0;
  setInterval(async () => {
    const last = utilization;
    utilization = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(utilization, last).utilization > utilizationMax) return;
    if (memoryUsage.rss() - keptBytes < growthBytesMin) return;
    keptBytes = Number.POSITIVE_INFINITY; // not again meanwhile
    collect({ type: 'major', flavor: 'last-resort' }); // other flavors keep empty pages for later
    await setTimeout(sweepingMs);
    await trim();
    keptBytes = memoryUsage.rss();
  }, idleMs).unref();
}

/** The time after a collection in which V8's threads free the buffers that were found to be garbage. */
const sweepingMs = 100;

/**
 * For threads that work on large values: returns a function to call after each piece of work, which collects garbage when
 * the thread's heap has grown by 256 MB. V8 lets the heap of each thread grow further, and threads return nothing while
 * they wait for work. A collection takes about 0.1 s of the thread's time; with a limit of 64 MB there is one after each
 * large value, which makes other requests slower.
 */
export function garbageCollector(): () => void {
  const collect = collector();
  let keptBytes = heapBytes();
  return () => {
    if (heapBytes() - keptBytes < threadGrowthBytesMin) return;
    collect({ type: 'major', flavor: 'last-resort' });
    keptBytes = heapBytes();
  };
}

const threadGrowthBytesMin = 256 * 1024 * 1024;

function heapBytes(): number {
  const { total_heap_size, external_memory } = getHeapStatistics();
  return total_heap_size + external_memory;
}

/**
 * V8's `gc`, without making it global. The flag belongs to the process: another thread that does the same may reset it before
 * the context is created, which then has no `gc`.
 */
function collector(): NonNullable<typeof globalThis.gc> {
  for (;;) {
    setFlagsFromString('--expose-gc');
    const gc = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    if (gc) return gc;
  }
}

/** Calls glibc's `malloc_trim` in another thread. Does nothing where there is another C library. */
async function trim(): Promise<void> {
  if (process.platform !== 'linux') return;
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const mallocTrim = koffi.load('libc.so.6').func('int malloc_trim(size_t)');
    await new Promise((resolve) => mallocTrim.async(0, resolve));
  } catch {
    // no glibc, or no build of koffi for this machine
  }
}
