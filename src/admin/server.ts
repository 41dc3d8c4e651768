import { chmodSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiError } from '../contract/errors.ts';
import type { Log } from '../log.ts';
import { socketPath } from '../store/socket-path.ts';
import { type AdminContext, perform } from './operations.ts';

/** Answers the commands of `heddle` on the socket in the data directory, which its owner alone may open. */
export async function startAdminServer(context: AdminContext, log: Log): Promise<{ close(): Promise<void> }> {
  const socket = socketPath(context.config.data);
  const server = createServer((request, response) => void answer(context, log, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  chmodSync(socket, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `POST /<operation>` with its parameters as JSON. */
async function answer(context: AdminContext, log: Log, request: IncomingMessage, response: ServerResponse) {
  const name = (request.url ?? '').slice(1);
  try {
    const params = JSON.parse(await textOf(request));
    reply(response, 200, await perform(context, name, params));
  } catch (error) {
    if (error instanceof ApiError) return reply(response, error.status, error.body);
    log.error({ err: error, operation: name }, 'a command failed for a reason that is ours');
    reply(response, 500, { reason: 'The server could not do it; its log says why.' });
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
}
