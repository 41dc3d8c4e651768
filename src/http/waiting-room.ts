import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { ApiError } from '../contract/errors.ts';
import { withoutPrefix } from './path-prefix.ts';
import { errorBodyAt } from './protocol-errors.ts';

/**
 * Receives requests while the stores are opened and migrated. Probes are answered at once; everything else waits until the
 * server can answer it, because clients take a port that is open for a server that works.
 */
export class WaitingRoom {
  readonly #waiting = new Map<ServerResponse, { request: IncomingMessage; timer: NodeJS.Timeout }>();
  readonly #msMax: number;

  constructor({ msMax = waitMsMax } = {}) {
    this.#msMax = msMax;
  }

  readonly handle: RequestListener = (request, response) => {
    const path = withoutPrefix(request.url ?? '/');
    const answer = answers.get(path.split('?', 1)[0]!);
    if (answer) return send(response, ...answer);
    const timer = setTimeout(() => send(response, 503, errorBodyAt(path, new ApiError(503, reason))), this.#msMax);
    this.#waiting.set(response, { request, timer });
    response.once('close', () => {
      clearTimeout(timer);
      this.#waiting.delete(response);
    });
  };

  /** Passes those that wait to the server. */
  leave(handler: RequestListener): void {
    for (const [response, { request, timer }] of this.#waiting) {
      clearTimeout(timer);
      if (!response.headersSent) handler(request, response);
    }
    this.#waiting.clear();
  }
}

/** Clients time out, or try again, not long after that. */
const waitMsMax = 10_000;

const reason = 'The server is starting: it opens its stores and brings them up to date. Try again in a moment.';

/** As those of `contract/service/`. */
const answers = new Map<string, [status: number, body: object]>([
  ['/health', [200, { status: 'ok' }]],
  ['/health/ready', [503, { reason, status: 'starting', stores: [] }]],
]);

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  });
  response.end(text);
}
