import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into a server with `node --import`, measures how long its event loop is blocked, and reports by message. The
 * processor time of the main thread is the cost of a step; the delay also includes the time that other processes took.
 */

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

let longestMs = 0;
let usedBefore = usedMs();
setInterval(() => {
  const used = usedMs();
  longestMs = Math.max(longestMs, used - usedBefore);
  usedBefore = used;
}, 1).unref();

function usedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export type LongestStep = { cpuMs: number; delayMs: number };

process.on('message', (message) => {
  if (message !== 'longest step') return;
  process.send!({ cpuMs: longestMs, delayMs: delay.max / 1e6 } satisfies LongestStep);
  delay.reset();
  longestMs = 0;
});
process.channel?.unref();
