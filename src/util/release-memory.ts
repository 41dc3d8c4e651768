import { performance } from 'node:perf_hooks';
import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A process that is busy for a larger share of its time than this is not idle. */
const utilizationMax = 0.01;
/** Less than this is not worth a collection. */
const growthBytesMin = 64 * 1024 * 1024;

/**
 * Returns memory to the system whenever the main thread has been idle for a while after work. V8 keeps the pages of past
 * garbage, which are hundreds of megabytes after a busy minute, and does not notice that nothing happens any more.
 * A collection blocks the main thread for 0.1 to 0.3 s, so it happens only once after each period of work.
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

/** V8's function, which other code of this process does not get. */
function collector(): NonNullable<typeof globalThis.gc> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return gc;
}
