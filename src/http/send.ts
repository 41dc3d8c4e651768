import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { currentScope, iterateWithin } from '../util/request-scope.ts';

export type ByteAnswer = { stream: Readable; sizeBytes: number };
export type EncodedAnswer = { mediaType: string; body: Uint8Array | string };

/**
 * Streams lines, each already ended by a line feed. The first part is made before the status is sent, so that errors
 * found by then keep their status; a later one cuts the connection, which clients take as a failed read.
 */
export async function sendLines(
  reply: FastifyReply,
  mediaType: string,
  lines: AsyncIterable<string>,
): Promise<FastifyReply> {
  const scope = currentScope();
  const iterator = (scope ? iterateWithin(scope, lines) : lines)[Symbol.asyncIterator]();
  const first = await iterator.next();
  reply.type(mediaType);
  if (first.done) return reply.send('');
  return reply.send(Readable.from(resume(first.value, iterator), { objectMode: false }));
}

export function sendBytes(reply: FastifyReply, { stream, sizeBytes }: ByteAnswer): FastifyReply {
  return reply.type('application/octet-stream').header('content-length', sizeBytes).send(stream);
}

export function sendEncoded(reply: FastifyReply, { mediaType, body }: EncodedAnswer): FastifyReply {
  return reply.type(mediaType).send(typeof body === 'string' ? body : Buffer.from(body));
}

async function* resume(first: string, rest: AsyncIterator<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(first);
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield Buffer.from(next.value);
  } finally {
    await rest.return?.(); // the client hung up: stop reading the store
  }
}
