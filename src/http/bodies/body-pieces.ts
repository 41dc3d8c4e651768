import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../contract/errors.ts';
import { type Arriving, bodyTooLarge, cutOff } from './read-body.ts';

/**
 * The body of a request piece by piece, at the speed of the reader, so that a body of any size needs little memory. A
 * rejected body continues to arrive and is discarded, as in `readBlocks`.
 * @throws ApiError 400, 408 or 413
 */
export async function* bodyPieces(
  request: IncomingMessage,
  { bytesMax, setting, pace }: Pick<Arriving, 'bytesMax' | 'setting' | 'pace'>,
): AsyncGenerator<Buffer> {
  if (Number(request.headers['content-length']) > bytesMax) throw bodyTooLarge(bytesMax, setting);
  let late: ApiError | null = null;
  const leave = pace.watch(request, (reason) => {
    late = new ApiError(408, reason);
    request.destroy(late);
  });
  let size = 0;
  try {
    for await (const piece of request.iterator({ destroyOnReturn: false })) {
      size += piece.length;
      if (size > bytesMax) throw bodyTooLarge(bytesMax, setting);
      yield piece;
    }
  } catch (error) {
    if (late !== null) throw late;
    if (error instanceof ApiError) throw error;
    throw cutOff();
  } finally {
    leave();
  }
}
