import { constants } from 'node:os';
import type { RunningServer } from '../main.ts';

/**
 * Stops in order at SIGTERM and SIGINT, with exit code 0. A second signal ends the process at once, as does the first one
 * while the server starts: what was acknowledged is safe. Call it early, because the kernel delivers no signal without a
 * handler to process 1 of a container.
 *
 * @returns a function to call with the server once it runs
 */
export function stopOnSignals(): (server: RunningServer) => void {
  let running: RunningServer | null = null;
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal]);
      if (running === null) process.exit(0);
      isStopping = true;
      void running.close().then(() => process.exit(0));
    });
  }
  return (server) => {
    running = server;
  };
}
