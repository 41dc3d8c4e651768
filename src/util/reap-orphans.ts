import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * As process 1 of a container, this process becomes the parent of processes whose parent has ended, such as those of a model
 * that was killed. They stay in the table of processes until their parent has waited for them, which libuv does only for
 * processes that it has started. Does nothing in any other process, nor without glibc.
 */
export function reapOrphans(): void {
  if (process.pid !== 1 || process.platform !== 'linux') return;
  const waitFor = openWait();
  if (waitFor === null) return;
  let seen = new Set<number>();
  let isLooking = false;

  /** Waits for those that were dead the last time, too: libuv has taken its own in between, and must not miss them. */
  function pass(): void {
    const dead = deadChildren();
    for (const each of dead) if (seen.has(each)) waitFor!(each);
    seen = new Set(dead);
    isLooking = dead.length > 0;
    if (isLooking) setTimeout(pass, patienceMs).unref();
  }

  process.on('SIGCHLD', () => {
    if (isLooking) return;
    isLooking = true;
    setTimeout(pass, patienceMs).unref();
  });
}

const patienceMs = 1000;

function openWait(): ((pid: number) => void) | null {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const waitpid = koffi.load('libc.so.6').func('int waitpid(int, void *, int)');
    return (pid) => void waitpid(pid, null, withoutHanging);
  } catch {
    return null; // no glibc, or no build of koffi for this machine
  }
}

/** `WNOHANG`. */
const withoutHanging = 1;

function deadChildren(): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    const [state, parent] = statOf(pid);
    return state === 'Z' && Number(parent) === process.pid;
  });
}

/** The fields from the state on: the name before it, in parentheses, may contain anything. */
function statOf(pid: number): string[] {
  try {
    return /\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]?.split(' ') ?? [];
  } catch {
    return []; // it has been waited for meanwhile
  }
}
