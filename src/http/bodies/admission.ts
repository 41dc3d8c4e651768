import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/** The bytes that one request is counted as, until it is answered. */
export type Claim = {
  /** Counts it as this many at least. @throws ApiError 429 when they do not fit beside those of the others */
  holds(bytes: number): void;
};

export type Admission = (request: FastifyRequest, reply: FastifyReply) => Claim;

/**
 * Bounds the bytes of all requests that are being answered, so that memory stays bounded however much is offered. What
 * does not fit is refused before its body is read, or while it is decompressed, with the time after which to try again;
 * clients do. A request that is alone always fits: how large it may be is bounded elsewhere.
 */
export function openAdmission(bytesMax: number): Admission {
  let admitted = 0;
  return (request, reply) => {
    let claimed = 0;
    const claim: Claim = {
      holds(bytes) {
        const [more, others] = [bytes - claimed, admitted - claimed];
        if (more <= 0) return;
        if (others > 0 && others + bytes > bytesMax) {
          reply.header('retry-after', retryAfterSeconds);
          throw new ApiError(429, 'The server has as much to write as it can take. Try again in a moment.');
        }
        admitted += more;
        claimed = bytes;
      },
    };
    claim.holds(Number(request.headers['content-length'] ?? unknownBytes));
    reply.raw.once('close', () => {
      admitted -= claimed;
    });
    return claim;
  };
}

const retryAfterSeconds = 1;
/** What a body of unknown length, sent in chunks, is counted as until it is there. */
const unknownBytes = 1024 * 1024;
