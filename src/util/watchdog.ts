import { url as debuggerUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

/** What the watching thread is given. */
export type WatchdogData = { beats: Int32Array; checkMs: number; checksMax: number; message: string };

/** Longest time that the main thread may stand still. */
export const standstillMsMax = 60_000;
const checkMs = 1000;

/**
 * Ends the process when its main thread stands still: native code in it, such as a store's, may never come back. A
 * supervisor can start an ended process again; one that hangs it cannot see.
 */
export function watchMainThread(message: string, { msMax = standstillMsMax } = {}): void {
  if (debuggerUrl()) return; // it stands still at breakpoints
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchdogData = { beats, checkMs, checksMax: Math.ceil(msMax / checkMs), message };
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), { workerData, execArgv: [] });
  worker.unref();
  worker.on('error', (error) => process.emitWarning(`Nothing watches the main thread: ${error.message}`));
  setInterval(() => Atomics.add(beats, 0, 1), checkMs / 2).unref();
}
