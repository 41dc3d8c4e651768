import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { jsonPieces } from '../util/json/write.ts';
import { currentScope, iterateWithin } from '../util/request-scope.ts';
import { openTurn } from '../util/turns.ts';
import { cutOffUnread, unreadMaxMs } from './unread.ts';

export type ByteAnswer = { stream: Readable; sizeBytes: number };
export type EncodedAnswer = { mediaType: string; body: Uint8Array | string };

/** Sends a small response at once, and a large one in pieces between which other requests are served. */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  reply.code(status).type('application/json; charset=utf-8');
  const pieces = jsonPieces(body);
  const first = pieces.next().value ?? '';
  const second = pieces.next();
  if (second.done) return reply.send(first);
  cutOffUnread(reply.raw);
  return reply.send(Readable.from(inTurns([first, second.value], pieces), { objectMode: false }));
}

async function* inTurns(first: string[], rest: Iterable<string>): AsyncGenerator<Buffer> {
  const turn = openTurn();
  for (const pieces of [first, rest]) {
    for (const piece of pieces) {
      if (turn.isOver()) await turn.next();
      yield Buffer.from(piece);
    }
  }
}

/**
 * Streams lines, each ending with a line feed. The first part is produced before the status is sent, so that errors up
 * to then keep their status; a later error closes the connection, which clients treat as a failed read.
 */
export async function sendLines(
  reply: FastifyReply,
  mediaType: string,
  lines: AsyncIterable<string>,
  limits = { unreadMaxMs },
): Promise<FastifyReply> {
  const scope = currentScope();
  const iterator = (scope ? iterateWithin(scope, lines) : lines)[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.type(mediaType);
  if (first.done) return reply.send('');
  cutOffUnread(reply.raw, limits.unreadMaxMs);
  return reply.send(Readable.from(resume(first.value, iterator), { objectMode: false }));
}

export function sendBytes(reply: FastifyReply, { stream, sizeBytes }: ByteAnswer): FastifyReply {
  return sendStream(reply.type('application/octet-stream').header('content-length', sizeBytes), stream);
}

/** If the stream fails, for example because stored bytes are damaged, the client sees a closed connection. */
export function sendStream(reply: FastifyReply, stream: Readable): FastifyReply {
  stream.once('error', (error) => reply.request.log.error({ err: error }, 'response ended before its last byte'));
  cutOffUnread(reply.raw);
  return reply.send(stream);
}

export function sendEncoded(reply: FastifyReply, { mediaType, body }: EncodedAnswer): FastifyReply {
  return reply.type(mediaType).send(typeof body === 'string' ? body : Buffer.from(body));
}

async function* resume(first: string, rest: AsyncIterator<string>): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(first);
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield Buffer.from(next.value);
  } finally {
    await rest.return?.(); // the client disconnected: stop reading the store
  }
}
