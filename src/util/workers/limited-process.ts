import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { childProcess, type StartWorker } from './start-worker.ts';

export type ProcessLimits = {
  /** JavaScript objects. */
  heapMb: number;
  /** All memory beyond what Node itself reserves: the heap, WebAssembly and buffers. The program can read it. */
  memoryMb: number;
  /** 0 is the priority of the parent process, 19 the lowest. */
  niceness: number;
};

/** Over its lifetime: ends a process that loops after its parent was killed. */
const processorSecondsMax = 600;
/** Address space that Node reserves at startup and never uses: 575 MB measured with Node 24. */
const reservedMb = 1024;
/** V8 checks its own limit of about 1 MB, so that JavaScript and WebAssembly get an exception well before this. */
const stackKb = 8192;
const shell = '/bin/sh';

/**
 * A process that runs one of heddle's files with operating system limits, and without the server's environment, which
 * may contain secrets. Without a shell to set the limits, only the heap limit applies.
 */
export function limitedProcess(file: URL, { heapMb, memoryMb, niceness }: ProcessLimits): StartWorker {
  const node = [process.execPath, `--max-old-space-size=${heapMb}`];
  const limits = [
    'ulimit -c 0',
    `ulimit -S -t ${processorSecondsMax}; ulimit -H -t ${processorSecondsMax + 10}`,
    `ulimit -S -s ${stackKb}`,
    `ulimit -d ${(reservedMb + memoryMb) * 1024}`,
  ].map((limit) => `{ ${limit}; } 2>/dev/null`);
  const [execPath, ...execArgv] = existsSync(shell)
    ? [shell, '-c', `${limits.join('; ')}; exec "$@"`, 'sh', ...node]
    : node;
  const start = childProcess(file, [String(memoryMb)], { execPath: execPath!, execArgv, env: {} });
  return (listeners) => {
    const worker = start(listeners);
    if (niceness > 0 && worker.pid !== undefined) lower(worker.pid, niceness);
    return worker;
  };
}

function lower(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already; its exit event says so.
  }
}
