import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { toApiError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import { socketPath } from '../store/socket-path.ts';
import { Canceled } from '../util/failures.ts';
import { parsePlain } from '../util/json/parse.ts';
import type { AdminContext } from './admin-context.ts';
import { perform } from './operations.ts';
import type { Progress } from './pull/progress.ts';

/** Answers the commands of `heddle` on the socket in the data directory, which its owner alone may open. */
export async function startAdminServer(context: AdminContext, log: Log): Promise<{ close(): Promise<void> }> {
  const socket = socketPath(context.config.data);
  const underWay = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answered = answer(context, log, request, response).finally(() => underWay.delete(answered));
    underWay.add(answered);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  return {
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections(); // long operations end with their connection
      await closed;
      await Promise.all(underWay);
    },
  };
}

/** `POST /<operation>` with its parameters as JSON. The answer is lines: `{progress}` any number of times, then `{status, answer}`. */
async function answer(context: AdminContext, log: Log, request: IncomingMessage, response: ServerResponse) {
  const name = (request.url ?? '').slice(1);
  const gone = new AbortController();
  response.on('close', () => gone.abort(new Canceled('The command was ended.')));
  response.on('error', () => {}); // the client has disconnected
  const line = (said: unknown) => response.write(`${JSON.stringify(said)}\n`);
  response.writeHead(200, { 'content-type': 'application/x-ndjson', connection: 'close' });
  try {
    const params = parsePlain(await textOf(request));
    const watch = { report: (progress: Progress) => line({ progress }), signal: gone.signal };
    line({ status: 200, answer: await perform(context, name, params, watch) });
  } catch (error) {
    line(failure(error, name, log, gone.signal));
  }
  response.end();
}

function failure(error: unknown, operation: string, log: Log, gone: AbortSignal) {
  const known = toApiError(error);
  if (known !== null) return { status: known.status, answer: { reason: known.message } };
  if (!gone.aborted) log.error({ err: error, operation }, 'a command failed for a reason that is ours');
  return { status: 500, answer: { reason: 'The server could not do it; its log says why.' } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}
