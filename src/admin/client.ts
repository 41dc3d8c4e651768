import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { ApiError } from '../contract/errors.ts';
import { DataDirectoryError } from '../store/data-directory.ts';
import { checkSocketPlace, socketPath } from '../store/socket-path.ts';
import { type AdminContext, type Answer, type OperationName, type Params, perform } from './operations.ts';

/** Opens the stores for a command; throws a `DataDirectoryError` when another process holds them. */
export type OpenContext = (config: Config) => Promise<AdminContext & { close(): Promise<void> }>;

/** A starting server holds the directory for some seconds before it answers. */
const patienceMs = 20_000;

/** Runs an operation in the server that holds the data directory or, where none does, on the stores themselves. */
export async function runOperation<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  openContext: OpenContext,
): Promise<Answer<Name>> {
  if (!hasData(config)) {
    throw new DataDirectoryError(
      'unusable',
      `There is no data in ${config.data} yet. \`heddle serve\` makes it; --data or HEDDLE_DATA names another directory.`,
    );
  }
  const patience = Date.now() + patienceMs;
  for (;;) {
    const asked = await askRunning(config, name, params);
    if (asked) return asked.answer;
    const done = await runAlone(config, name, params, openContext, Date.now() < patience);
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
): Promise<{ answer: Answer<Name> } | null> {
  const path = socketPath(config.data);
  if (!existsSync(path)) return null;
  checkSocketPlace(config.data, path);
  const response = await post(path, name, params).catch((error: NodeJS.ErrnoException) => {
    if (nobodyThere.has(error.code ?? '')) return null;
    throw error;
  });
  if (response === null) return null;
  const body = JSON.parse(response.text);
  if (response.status !== 200) throw new ApiError(response.status, body.reason);
  return { answer: body };
}

/** What a killed server leaves: a socket that nobody listens on. */
const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED']);

async function runAlone<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  openContext: OpenContext,
  patient: boolean,
): Promise<{ answer: Answer<Name> } | null> {
  try {
    const context = await openContext(config);
    try {
      return { answer: (await perform(context, name, params)) as Answer<Name> };
    } finally {
      await context.close();
    }
  } catch (error) {
    const inUse = error instanceof DataDirectoryError && error.reason === 'in use';
    if (inUse && patient) return null;
    throw error;
  }
}

function post(socket: string, name: string, params: unknown): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path: `/${name}`, method: 'POST' }, async (response) => {
      try {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        resolve({ status: response.statusCode ?? 500, text: Buffer.concat(parts).toString() });
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(params));
  });
}
