import { spawnSync } from 'node:child_process';

/** For parts that prepare what requests bring. */
export const pool = { processesMax: 2, waitingMax: 100, fullMessage: () => 'at most 100 may wait' };

/** Somebody whose requests are prepared, and who never hangs up. */
export const requester = { tenant: ['ann', 'ann/p'] as const, signal: new AbortController().signal };

/** Children of this process that run such a file. */
export function childrenRunning(file: string): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', file], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}
