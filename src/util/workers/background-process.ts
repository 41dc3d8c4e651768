import { childProcess, type StartWorker } from './start-worker.ts';

/** The environment variables that such a process gets: no key, no token, no setting. */
const passedOn = ['LANG', 'LC_ALL', 'LC_CTYPE', 'LD_LIBRARY_PATH', 'NODE_COMPILE_CACHE', 'PATH', 'TMPDIR', 'TZ'];

/**
 * A process that computes for long: it has a lower priority than this one, no secrets, and ends when this one ends. Its
 * file starts with `yieldToParent`.
 */
export function backgroundProcess(file: URL, niceness: number): StartWorker {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  return childProcess(file, [String(niceness)], { env, execArgv: [] });
}
