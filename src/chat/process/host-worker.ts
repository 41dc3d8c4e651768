import { childProcess, type StartWorker } from '../../util/workers/start-worker.ts';

/** The environment variables that a model gets: no key, no token, no setting. */
const passedOn = ['LANG', 'LC_ALL', 'LC_CTYPE', 'LD_LIBRARY_PATH', 'PATH', 'TMPDIR', 'TZ'];

/** Starts the process of a model, with a lower priority than this one's. */
export function hostProcess(niceness: number): StartWorker {
  const env = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
  return childProcess(new URL('./host-process.ts', import.meta.url), [String(niceness)], { env, execArgv: [] });
}
