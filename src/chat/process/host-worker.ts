import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Asked, HostStart, Told } from './protocol.ts';

export type HostProcess = {
  send(message: HostStart | Asked): void;
  kill(): void;
};

type Listeners = {
  onTold(told: Told): void;
  /** Once, after everything that was told; says how the process ended, such as "with exit code 1". */
  onEnd(reason: string): void;
};

const file = fileURLToPath(new URL('./host-process.ts', import.meta.url));

/** What of our environment a model needs: no key, no token, no setting. */
const passedOn = ['LANG', 'LC_ALL', 'LC_CTYPE', 'LD_LIBRARY_PATH', 'PATH', 'TMPDIR', 'TZ'];

/**
 * Starts the process of a model. What it prints is dropped, since it may quote requests; how it ended is known by its exit
 * code or signal.
 */
export function startHostProcess(niceness: number, { onTold, onEnd }: Listeners): HostProcess {
  const child = fork(file, [String(niceness)], {
    env: Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.on('message', (told) => {
    for (const each of told as Told[]) onTold(each);
  });
  // Comes after the last message; `exit` may come before it.
  child.once('close', (code, signal) => onEnd(endedHow(code, signal)));
  child.on('error', (error) => {
    if (child.pid === undefined) onEnd(`before it was started (${error.message})`);
  });
  return {
    // What cannot be sent is answered when the process has ended.
    send: (message) => void child.send(message, () => {}),
    kill: () => void child.kill('SIGKILL'),
  };
}

function endedHow(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `with exit code ${code}`;
  return `with signal ${signal}${signal === 'SIGKILL' ? ', for example because memory ran out' : ''}`;
}
