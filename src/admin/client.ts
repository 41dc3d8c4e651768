import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ApiError } from '../contract/errors.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { checkSocketPlace, socketPath } from '../store/socket-path.ts';
import { parsePlain } from '../util/json/parse.ts';
import { linesOf } from '../util/lines.ts';
import type { AdminContext } from './admin-context.ts';
import type { OperationAnswer, OperationName, Params } from './operations.ts';
import type { Progress } from './pull/progress.ts';

/** Opens the stores for a command; throws a `DataDirectoryError` when another process holds them. */
export type OpenContext = (config: Config) => Promise<AdminContext & { close(): Promise<void> }>;

/** Called with the progress of a long operation. */
export type OnProgress = (progress: Progress) => void;
const ignore: OnProgress = () => {};

/** A starting server holds the directory for some seconds before it answers. */
const patienceMs = 20_000;

/** Runs an operation in the server that holds the data directory or, where none does, on the stores themselves. */
export async function runOperation<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  openContext: OpenContext,
  onProgress = ignore,
): Promise<OperationAnswer<Name>> {
  if (!hasData(config)) {
    throw new DataDirectoryError(
      'unusable',
      `${config.data} does not contain heddle data yet. Run \`heddle serve\` to create it, or choose another directory with --data or HEDDLE_DATA.`,
    );
  }
  const patience = Date.now() + patienceMs;
  for (;;) {
    const asked = await askRunning(config, name, params, onProgress);
    if (asked) return asked.answer;
    const done = await runAlone(config, name, params, openContext, onProgress, Date.now() < patience);
    if (done) return done.answer;
    await wait(200);
  }
}

/** Whether a heddle has ever started in the data directory. */
export function hasData(config: Config): boolean {
  return existsSync(join(config.data, 'heddle.json'));
}

/** Asks the running server; null where none answers. */
export async function askRunning<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  onProgress = ignore,
): Promise<{ answer: OperationAnswer<Name> } | null> {
  const path = socketPath(config.data);
  if (!existsSync(path)) return null;
  checkSocketPlace(config.data, path);
  const response = await post(path, name, params, onProgress).catch((error: NodeJS.ErrnoException) => {
    if (nobodyThere.has(error.code ?? '')) return null;
    throw hasEnded.has(error.code ?? '') ? serverEnded() : error;
  });
  if (response === null) return null;
  const { status, answer } = response;
  if (status !== 200) throw new ApiError(status, (answer as { reason: string }).reason);
  return { answer: answer as OperationAnswer<Name> };
}

/** A killed server leaves a socket that no process listens on. */
const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED']);

/** The errors of a connection to a killed server. */
const hasEnded = new Set(['ECONNRESET', 'EPIPE']);

function serverEnded(): ApiError {
  return new ApiError(503, 'The server stopped before the command was complete. See its log for the reason.');
}

async function runAlone<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  openContext: OpenContext,
  onProgress: OnProgress,
  patient: boolean,
): Promise<{ answer: OperationAnswer<Name> } | null> {
  try {
    const context = await openContext(config);
    try {
      const { perform } = await import('./operations.ts'); // most of the code, which the running server has loaded
      const watch = { report: onProgress, signal: new AbortController().signal }; // who gives up ends the process
      return { answer: (await perform(context, name, params, watch)) as OperationAnswer<Name> };
    } finally {
      await context.close();
    }
  } catch (error) {
    const inUse = error instanceof DataDirectoryError && error.reason === 'in use';
    if (inUse && patient) return null;
    throw error;
  }
}

/** What the server said last: lines before it tell how far it is. */
type Last = { status: number; answer: unknown };

function post(socket: string, name: string, params: unknown, onProgress: OnProgress): Promise<Last> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path: `/${name}`, method: 'POST' }, async (response) => {
      try {
        let last: Last | undefined;
        for await (const line of linesOf(response)) {
          const said: Last | { progress: Progress } = parsePlain(line);
          if ('progress' in said) onProgress(said.progress);
          else last = said;
        }
        if (!last) throw serverEnded();
        resolve(last);
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(params));
  });
}
