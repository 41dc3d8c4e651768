import type { Take } from './http-client.ts';
import type { VllmRequest } from './send-to-one.ts';

/**
 * The chunks of a streamed answer, for a reader that takes them one by one: `chunksOf(request, servers.complete)`. They wait for the
 * reader. When it leaves, the request ends at the server. @throws what the request throws, after the chunks that came before
 */
export async function* chunksOf<Chunk>(
  request: VllmRequest,
  ask: (request: VllmRequest, take: Take<Chunk>) => Promise<void>,
): AsyncGenerator<Chunk> {
  const leaving = new AbortController();
  const signal = AbortSignal.any([request.signal, leaving.signal]);
  const waiting: Chunk[] = [];
  let arrived = Promise.withResolvers<void>();
  let hasEnded = false;
  const asking = ask({ ...request, signal }, (chunk) => {
    waiting.push(chunk);
    arrived.resolve();
    return false;
  }).finally(() => {
    hasEnded = true;
    arrived.resolve();
  });
  asking.catch(() => {}); // reported to the reader
  try {
    while (true) {
      request.signal.throwIfAborted(); // what has arrived before is not of interest any more
      if (waiting.length > 0) yield waiting.shift()!;
      else if (hasEnded) return await asking;
      else {
        await arrived.promise;
        arrived = Promise.withResolvers<void>();
      }
    }
  } finally {
    leaving.abort(new Error('The answer is not read any more.'));
  }
}
