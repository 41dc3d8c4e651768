import type { FastifyReply } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/** The bytes held for one request, until it is answered or releases them. */
export type Claim = {
  /**
   * Counts the request as at least this many bytes. @throws ApiError 429 if they do not fit beside those of other
   * requests
   */
  holds(bytes: number): void;
  release(): void;
};

/** `owner` is charged for the bytes: no single owner can take all of the room. */
export type Admission = (owner: string, reply: FastifyReply) => Claim;

/**
 * Bounds the bytes of all bodies in flight, so that memory use stays bounded under any load. Only bytes that have
 * arrived count, because announcing a size costs a client nothing. A request that does not fit is rejected with the
 * time after which to retry. A request always fits if it is the only one: its size is limited elsewhere.
 * @param setting the name of the limit, for error messages
 */
export function openAdmission(bytesMax: number, setting: string): Admission {
  const largeMax = bytesMax - bytesMax * reservedForSmall;
  const ownerMax = bytesMax * ownerShareMax;
  const heldBy = new Map<string, number>();
  let held = 0;

  function count(owner: string, more: number): void {
    held += more;
    const sum = (heldBy.get(owner) ?? 0) + more;
    if (sum > 0) heldBy.set(owner, sum);
    else heldBy.delete(owner);
  }

  return (owner, reply) => {
    let claimed = 0;
    const claim: Claim = {
      holds(bytes) {
        if (bytes <= claimed) return;
        const others = held - claimed;
        const othersOfOwner = (heldBy.get(owner) ?? 0) - claimed;
        const isLarge = bytes > smallBytesMax;
        const room = isLarge ? largeMax : bytesMax;
        const exceedsShare = isLarge && othersOfOwner > 0 && othersOfOwner + bytes > ownerMax;
        if (exceedsShare || (others > 0 && others + bytes > room)) {
          reply.header('retry-after', retryAfterSeconds);
          throw new ApiError(429, `${fullMessage} (${setting}=${bytesMax})`);
        }
        count(owner, bytes - claimed);
        claimed = bytes;
      },
      release() {
        if (claimed > 0) count(owner, -claimed);
        claimed = 0;
      },
    };
    reply.raw.once('close', claim.release);
    return claim;
  };
}

const retryAfterSeconds = 1;
const fullMessage = 'The server has as many bytes of requests under way as it can take. Try again in a moment.';

/** Part of the room is reserved for small bodies, so that large ones never keep them out. */
const reservedForSmall = 1 / 8;
const smallBytesMax = 256 * 1024;
/** The part of the room that the large bodies of one owner may use. */
const ownerShareMax = 2 / 3;
