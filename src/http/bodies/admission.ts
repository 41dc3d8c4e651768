import type { FastifyReply } from 'fastify';
import { ApiError } from '../../contract/errors.ts';

/** The bytes that one request holds, until it is answered or releases them. */
export type Claim = {
  /** Counts the request as this many bytes at least. @throws ApiError 429 when they do not fit beside those of the others */
  holds(bytes: number): void;
  release(): void;
};

/** `owner` is whoever the bytes are counted for: one owner never gets all of the room. */
export type Admission = (owner: string, reply: FastifyReply) => Claim;

/**
 * Bounds the bytes of all bodies under way, so that memory stays bounded however much is offered. Only bytes that have
 * arrived count: an announcement costs its sender nothing and must not cost others their turn. What does not fit is
 * refused with the time after which to try again. A request that is alone always fits: how large it may be is bounded
 * elsewhere.
 * @param setting the name of the limit, for messages
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

/** Small bodies have a part of the room to themselves: large ones never keep them out. */
const reservedForSmall = 1 / 8;
const smallBytesMax = 256 * 1024;
/** The part of the room that large bodies of one owner may take up. */
const ownerShareMax = 2 / 3;
