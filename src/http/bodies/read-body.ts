import type { IncomingMessage } from 'node:http';
import { ApiError, badRequest, tooLarge } from '../../contract/errors.ts';
import { joined } from '../../util/joined.ts';
import type { BodyPace } from './body-pace.ts';
import { countRead, stopCounting } from './read-budget.ts';

export type Arriving = {
  bytesMax: number;
  /** The name of the setting that limits the body, for error messages. */
  setting: string;
  pace: BodyPace;
  /** Called after each piece with the size so far. Throw to reject the body. */
  onArrival(bytes: number): void;
};

/**
 * Reads the body of a request in blocks of about a megabyte. Copying a large body into one buffer takes tens of
 * milliseconds; it is copied block by block, as it arrives. A rejected body continues to arrive and is discarded
 * (`Pace.discard`): a client that is still sending when its connection closes never reads the reason.
 * @throws ApiError 400, 408 or 413, and what `onArrival` throws
 */
export async function readBlocks(request: IncomingMessage, limits: Arriving): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  const onPiece = (piece: Buffer) => {
    countRead(request, piece);
    pieces.push(piece);
    size += piece.length;
    if (size < blockBytes) return;
    blocks.push(joined(pieces));
    [pieces, size] = [[], 0];
  };
  await followBody(request, limits, onPiece).finally(() => stopCounting(request));
  if (size > 0 || blocks.length === 0) blocks.push(joined(pieces));
  return blocks;
}

const blockBytes = 1024 * 1024;

/**
 * Checks the size and rate of a request's body while any reader reads it. Resolves with its size when it is complete.
 */
export function followBody(
  request: IncomingMessage,
  { bytesMax, setting, pace, onArrival }: Arriving,
  onPiece: (piece: Buffer) => void,
): Promise<number> {
  const excess = () => bodyTooLarge(bytesMax, setting);
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > bytesMax) return reject(excess());
    if (request.destroyed) return reject(cutOff());
    let size = 0;
    const leave = pace.watch(request, (reason) => refuse(new ApiError(408, reason)));

    function take(piece: Buffer): void {
      size += piece.length;
      try {
        if (size > bytesMax) throw excess();
        onArrival(size);
        onPiece(piece);
      } catch (error) {
        refuse(error);
      }
    }
    function refuse(error: unknown): void {
      stop();
      reject(error);
      request.unpipe();
      request.pause(); // the rest is discarded once the request is answered
    }
    function finish(): void {
      stop();
      resolve(size);
    }
    function abort(): void {
      stop();
      reject(cutOff());
    }
    function stop(): void {
      leave();
      request.off('data', take).off('end', finish).off('close', abort);
    }

    request.on('data', take).on('end', finish).on('close', abort).on('error', ignore);
  });
}

export function bodyTooLarge(bytesMax: number, setting: string): ApiError {
  return tooLarge(undefined, { detail: `The body has more than ${bytesMax} bytes (${setting}).` });
}

export function cutOff(): ApiError {
  return badRequest('The connection was closed before the body was complete.');
}

/** An error is always followed by `close`. */
function ignore(): void {}
