import { askRunning, type OnProgress, type OpenContext, runOperation } from '../admin/client.ts';
import type { OperationAnswer, OperationName, Params } from '../admin/operations.ts';
import type { Config } from '../config.ts';
import { notFound } from '../contract/errors.ts';
import { openLog } from '../log.ts';

/** Runs an operation for a command, in the running server or alone. */
export function ask<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  onProgress?: OnProgress,
): Promise<OperationAnswer<Name>> {
  return runOperation(config, name, params, openAlone, onProgress);
}

/** Runs an operation that needs a running server, such as one that starts a job. @throws ApiError if there is none */
export async function askServer<Name extends OperationName>(
  config: Config,
  name: Name,
  params: Params<Name>,
  onProgress?: OnProgress,
): Promise<OperationAnswer<Name>> {
  const asked = await askRunning(config, name, params, onProgress);
  if (asked) return asked.answer;
  throw notFound(
    `No heddle server is running on ${config.data}. Start one with \`heddle serve\`, or set its directory with --data.`,
  );
}

const openAlone: OpenContext = async (config) => {
  const { adminContext } = await import('../main.ts'); // loads the stores: only when no server runs
  const { openContext } = await import('../open/context.ts');
  const context = await openContext(config, openLog({ ...config, logLevel: 'warn' }));
  return { ...adminContext(context, null), close: context.close };
};
