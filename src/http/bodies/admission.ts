import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/**
 * Bounds the bytes of all requests that are being answered, so that memory stays bounded however much is offered. What
 * does not fit is refused before its body is read, with the time after which to try again; clients do.
 */
export function openAdmission(bytesMax: number): (request: FastifyRequest, reply: FastifyReply) => void {
  let admitted = 0;
  return (request, reply) => {
    const bytes = Number(request.headers['content-length'] ?? unknownBytes);
    if (admitted > 0 && admitted + bytes > bytesMax) {
      reply.header('retry-after', retryAfterSeconds);
      throw new ApiError(429, 'The server has as much to write as it can take. Try again in a moment.');
    }
    admitted += bytes;
    reply.raw.once('close', () => {
      admitted -= bytes;
    });
  };
}

const retryAfterSeconds = 1;
/** What a body of unknown length, sent in chunks, is counted as. */
const unknownBytes = 1024 * 1024;
