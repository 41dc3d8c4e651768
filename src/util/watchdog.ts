import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** The data passed to the watchdog thread. */
export type WatchdogData = { beats: Int32Array; checkMs: number; checksMax: number; message: string };

/** The longest time that the main thread may be blocked. */
export const standstillMsMax = 60_000;
const checkMs = 1000;

/**
 * Ends the process if its main thread is blocked: native code, such as a store's, may never return. A supervisor can
 * restart a process that has ended, but does not notice one that hangs.
 */
export function watchMainThread(message: string, { msMax = standstillMsMax } = {}): void {
  if (debuggerUrl()) return; // breakpoints block it
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchdogData = { beats, checkMs, checksMax: Math.ceil(msMax / checkMs), message };
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData, execArgv: [] });
  worker.unref();
  worker.on('error', (error) => process.emitWarning(`Nothing watches the main thread: ${error.message}`));
  setInterval(() => Atomics.add(beats, 0, 1), checkMs / 2).unref();
}
