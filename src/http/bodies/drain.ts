import type { IncomingMessage } from 'node:http';

/** Reads the rest of rejected bodies and discards it. */
export type Drain = { add(request: IncomingMessage): void; has(request: IncomingMessage): boolean; close(): void };

/**
 * All rejected bodies share a rate of 16 MiB per second and take turns: a body of which nothing is read for ten seconds
 * would count as too slow. Reading at full speed would take most of the main thread's time, because each piece becomes
 * garbage, and a client that ignores rejections would send its next body sooner.
 */
export function openDrain({ bytesPerRound = 160 * 1024, roundMs = 10, onRound = () => {} } = {}): Drain {
  const requests = new Set<IncomingMessage>();
  let timer: NodeJS.Timeout | undefined;
  let room = bytesPerRound;

  function begin(): void {
    onRound();
    room = bytesPerRound;
    const paused = [...requests].filter((request) => request.isPaused());
    for (const request of paused.slice(0, Math.ceil(bytesPerRound / pieceBytes))) request.resume();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    add(request) {
      requests.add(request);
      request.once('close', () => {
        requests.delete(request);
        if (requests.size === 0) stop();
      });
      request.on('data', (piece: Buffer) => {
        room -= piece.length;
        requests.delete(request);
        requests.add(request); // so that the others are first in the next round
        if (room <= 0) for (const each of requests) each.pause();
      });
      if (room <= 0) request.pause();
      else request.resume();
      timer ??= setInterval(begin, roundMs).unref();
    },
    has: (request) => requests.has(request),
    close: stop,
  };
}

/** The maximum that one read from a socket returns. */
const pieceBytes = 64 * 1024;
