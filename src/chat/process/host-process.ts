import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * The process of one model. Signals and priorities are set first, before the slow imports: neither a signal nor the end of
 * the server may fall into the time between.
 */

// A terminal, and some supervisors, send these to the whole process group. The server ends its models itself, once their
// last requests are answered.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// The server is gone. An orderly exit would wait for the graph that runs.
const endAtOnce = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', endAtOnce);
if (!process.connected) endAtOnce();

const [niceness = '0'] = process.argv.slice(2);
giveWay(Number(niceness));
const { serveHost } = await import('./serve-host.ts');
serveHost();

function giveWay(steps: number): void {
  const priority = Math.min(19, getPriority() + steps);
  for (const thread of threads()) attempt(() => setPriority(thread, priority));
  // If memory runs out, Linux ends a model before the server: this is the highest value.
  if (process.platform === 'linux') attempt(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
}

/** On Linux each thread has its own priority, which threads that it starts inherit. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
}

/** A container may forbid it; the model is served anyway. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
