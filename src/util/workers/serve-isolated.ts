import { serveRequests } from './serve-requests.ts';

/** The memory limit of this process. */
export function memoryLimitMb(): number {
  return Number(process.argv[2]);
}

/** The inside of an isolated process: answers requests in order. A handler that throws `FatalError` ends the process. */
export function serveIsolated(call: (body: never) => unknown): void {
  serveRequests({ call }, { order: 'sequence' });
}
