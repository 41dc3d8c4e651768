import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';

export type ProcessLimits = {
  /** JavaScript objects. */
  heapMb: number;
  /** All memory, beyond what Node itself reserves: the heap, WebAssembly and buffers. The program is given it, too. */
  memoryMb: number;
  /** 0 is the priority of whoever starts it, 19 the lowest. */
  niceness: number;
};

/** In its whole life; one that loops after its parent was killed ends by it. */
const processorSecondsMax = 600;
/** Address space for data that Node asks for before it runs anything, and never touches: 575 MB measured with Node 24. */
const reservedMb = 1024;
/** V8 checks its own limit of about 1 MB, so that JavaScript and WebAssembly get an exception well before this. */
const stackKb = 8192;
const shell = '/bin/sh';

/**
 * Starts a program of ours with limits of the operating system and without our environment, which may hold secrets.
 * Where there is no shell to set them, the limit of the heap stays.
 */
export function startProcess(file: URL, { heapMb, memoryMb, niceness }: ProcessLimits): ChildProcess {
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
  const child = fork(file, [String(memoryMb)], {
    execPath: execPath!,
    execArgv,
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  if (niceness > 0 && child.pid !== undefined) lower(child.pid, niceness);
  // A process that waits for requests must not keep the program alive.
  child.unref();
  child.channel?.unref();
  return child;
}

function lower(pid: number, niceness: number): void {
  try {
    setPriority(pid, niceness);
  } catch {
    // It has ended already; its exit event says so.
  }
}
