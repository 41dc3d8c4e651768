import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The largest share of its time that an idle main thread is busy. */
const utilizationMax = 0.01;
/** Memory must have grown by this much since the last collection. */
const growthBytesMin = 64 * 1024 * 1024;

/**
 * Returns memory to the system when the process becomes idle. V8 frees the pages of garbage only while a program allocates:
 * after a busy minute an idle process keeps hundreds of megabytes. A collection blocks the main thread for 0.1 to 0.3 s, so
 * it happens once after each period of work. Call this once in a process: it never stops.
 */
export function releaseMemoryWhenIdle({ idleMs = 5_000 } = {}): void {
  const collect = collector();
  let utilization = performance.eventLoopUtilization();
  let keptBytes = 0;
  setInterval(() => {
    const last = utilization;
    utilization = performance.eventLoopUtilization();
    if (performance.eventLoopUtilization(utilization, last).utilization > utilizationMax) return;
    if (memoryUsage.rss() - keptBytes < growthBytesMin) return;
    collect({ type: 'major', flavor: 'last-resort' }); // other flavors keep empty pages for later
    keptBytes = memoryUsage.rss();
  }, idleMs).unref();
}

/** V8's `gc`, without making it global. */
function collector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return gc;
}
