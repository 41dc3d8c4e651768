import { readdirSync, writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * The process of one model. What makes it give way to the server comes first, before the slow imports: no signal and no
 * end of the server may fall into the time between.
 */

// A terminal sends these to the server's whole group, and some supervisors do, too. The server ends its models itself,
// once their last requests are answered.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// The server is gone: nobody else would end this process. Leaving in order would wait for the graph that runs.
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
  // Where memory runs out, Linux ends a model before the stores: this value is the highest there is.
  if (process.platform === 'linux') attempt(() => writeFileSync('/proc/self/oom_score_adj', '1000'));
}

/** On Linux each thread has a priority of its own, and hands it to those that it starts. */
function threads(): number[] {
  return process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
}

/** A container may forbid it; the model is served all the same. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {}
}
