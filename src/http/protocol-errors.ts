import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApiError } from '../contract/errors.ts';
import { openAiErrorBody } from './openai-errors.ts';

/**
 * Responds to what Node and Fastify reject before a route is found, in the shape of all other errors. By default, some
 * of these get other shapes, some an empty body, and some a closed connection.
 */

/** The maximum size of a request's headers with its address, in bytes. A thousand ids in a query take 56 kB. */
export const headerBytesMax = 64 * 1024;
/** The maximum length of a name in a path, decoded. */
export const pathParameterMax = 1024;

/** @see https://nodejs.org/api/http.html#event-clienterror */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const started = (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent ?? false;
  if (!socket.writable || started)
    socket.destroy(error); // a response is being sent: another would corrupt it
  else answerRaw(socket, clientErrors[error.code ?? ''] ?? malformed(error));
}

/** Input that is not a request, or asks for something other than a response. */
export function answerOtherProtocols(server: Server): void {
  server.on('checkExpectation', ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const error = new ApiError(417, 'Only the expectation 100-continue is known here.');
    const body = JSON.stringify(errorBodyAt(url, error));
    response.writeHead(417, { 'content-type': jsonType, 'content-length': Buffer.byteLength(body) }).end(body);
  });
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    answerRaw(socket, new ApiError(405, 'This server is not a proxy: CONNECT is not served.'));
  });
}

/** Rejects connections above a limit, with a response that says so. */
export function limitConnections(server: Server, connectionsMax: number): void {
  let open = 0;
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => open--);
    if (++open <= connectionsMax) return;
    const reason = `Too many connections are open (HEDDLE_CONNECTIONS_MAX=${connectionsMax}). Try again in a moment.`;
    answerRaw(socket, new ApiError(429, reason), ['Retry-After: 1']);
  });
}

/** Paths that Fastify's router cannot read. */
export function pathError(code: string): ApiError {
  if (code !== 'FST_ERR_MAX_PARAM_LENGTH') {
    return new ApiError(
      400,
      'The path is malformed: percent signs must begin the UTF-8 bytes of a character, as in %20.',
    );
  }
  return new ApiError(414, `A name in the path has more than ${pathParameterMax} characters.`);
}

/** The error of a request whatever its path; null if there is none. */
export function requestError({ headers, httpVersion, rawHeaders }: IncomingMessage): ApiError | null {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1) return new ApiError(400, 'The request has several Host headers, expected one.');
  if (headers.host === undefined) {
    return httpVersion === '1.1' ? new ApiError(400, 'The request has no Host header, which HTTP/1.1 requires.') : null;
  }
  return hostName.test(headers.host)
    ? null
    : new ApiError(400, 'The Host header is malformed, expected a name or NAME:PORT.');
}

const hostName = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-fA-F:.]+(?:%[\w.]+)?\])(?::\d{0,5})?$/;

/** The body of an error for a path without a route. */
export function errorBodyAt(path: string, error: ApiError): Record<string, unknown> {
  if (trainingPaths.test(path)) return { detail: error.message, ...error.extra };
  return path.startsWith('/v1/') ? openAiErrorBody(error) : error.body;
}

/** For endpoints whose errors have the shape `detail`. */
const trainingPaths = /^(\/traces)?\/v1\/(preview\/|health\b|system-check\b)/;

const clientErrors: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(431, `The headers of the request have more than ${headerBytesMax} bytes.`),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError(413, 'The chunk extensions of the body have more than 16384 bytes.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(408, 'The request did not arrive in time.'),
};

function malformed({ message }: Error): ApiError {
  return new ApiError(400, `The request is not well-formed HTTP: ${message.replace(/^Parse Error: /, '')}`);
}

const jsonType = 'application/json; charset=utf-8';

/**
 * Responds on a connection from which no request could be read, and closes it. The path is unknown, so the body
 * combines the shapes that the clients of all paths read.
 */
function answerRaw(socket: Duplex, error: ApiError, headers: string[] = []): void {
  const body = JSON.stringify({ ...error.body, detail: error.message, ...openAiErrorBody(error) });
  const status = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`;
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const head = [status, `Content-Type: ${jsonType}`, length, 'Connection: close', ...headers];
  socket.on('error', () => {}); // it may be closed already
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // Further bytes are discarded for a moment: closing a connection with unread bytes would discard the response too.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

const lingerMs = 1000;
