import { spawnSync } from 'node:child_process';

/** For code that prepares templates and constraints from requests. */
export const pool = { processesMax: 2, waitingMax: 100, fullMessage: () => 'at most 100 may wait' };

/** A user whose requests are prepared, and who never disconnects. */
export const requester = { tenant: ['ann', 'ann/p'] as const, signal: new AbortController().signal };

/** Child processes of this process that run the given file. */
export function childrenRunning(file: string): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(process.pid), '-f', file], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}
