import { readdirSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';

/**
 * Makes this process one of those that `backgroundProcess` starts. Call it before slow imports: neither a signal nor the
 * end of the parent may fall into the time between.
 */
export function yieldToParent(): void {
  // A terminal, and some supervisors, send these to the whole process group. The server ends its processes itself, once
  // their last requests are answered.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

  // The server has stopped. A normal exit would wait for the running graph.
  const endAtOnce = () => process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', endAtOnce);
  if (!process.connected) endAtOnce();
  // Node stores compiled code at a normal exit, but this process is always killed.
  setTimeout(flushCompileCache, keepCodeAfterMs).unref();

  const [niceness = '0'] = process.argv.slice(2);
  giveWay(Number(niceness));
}

/** Everything is loaded by then. */
const keepCodeAfterMs = 3000;

function giveWay(steps: number): void {
  const priority = Math.min(19, getPriority() + steps);
  for (const thread of threads()) attempt(() => setPriority(thread, priority));
  // If memory runs out, Linux ends such a process before the server: this is the highest value.
  if (process.platform === 'linux') attempt(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
}

/** On Linux each thread has its own priority, which its child threads inherit. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
}

/** A container may forbid it; the process works anyway. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
