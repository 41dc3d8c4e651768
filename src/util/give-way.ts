import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** By how much the priority of other threads is lower than the main thread's. */
const steps = 3;

/**
 * Lowers the priority of all threads of this process except the main thread and V8's garbage collection threads. The
 * main thread does little work per request, and every request waits for it: it must not queue behind the store's
 * threads. New threads inherit the priority of the thread that starts them. Call this once the stores are open.
 */
export function letThreadsGiveWay(): void {
  if (process.platform !== 'linux') return; // elsewhere a priority belongs to a whole process
  for (const thread of readdirSync('/proc/self/task').map(Number)) {
    if (thread !== process.pid && !isOfV8(thread)) lower(thread);
  }
}

/** The same for the calling thread. */
export function giveWay(): void {
  if (process.platform === 'linux') lower(0);
}

function lower(thread: number): void {
  try {
    setPriority(thread, Math.min(getPriority(process.pid) + steps, 19));
  } catch {
    // It has ended already, or a container forbids it.
  }
}

function isOfV8(thread: number): boolean {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith('V8');
  } catch {
    return true; // it has ended
  }
}
