import { execFileSync } from 'node:child_process';

/** As root on Linux, unless a sandbox forbids it. */
export function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['--pid', '--fork', '--mount-proc', '--mount', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
