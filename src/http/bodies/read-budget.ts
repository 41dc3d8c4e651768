import type { IncomingMessage } from 'node:http';

/** The bytes read of all bodies in one round of the event loop: a few milliseconds of work. */
const roundBytesMax = 1024 * 1024;
/** How many bodies continue in one round: each can deliver up to two pieces of 64 KiB before it can be paused again. */
const resumedMax = 8;

const paused = new Set<IncomingMessage>();
let bytes = 0;
let isCounting = false;

/**
 * Counts the bytes of a body as they arrive, and pauses the body for the rest of the round when the budget is used up.
 * Without this, a round reads two megabytes from every connection that has them, and accepts one new connection.
 */
export function countRead(request: IncomingMessage, piece: Buffer): void {
  if (!isCounting) endRoundLater();
  bytes += piece.length;
  if (bytes < roundBytesMax) return;
  request.pause();
  paused.add(request);
}

/** A complete or rejected body is not resumed. */
export function stopCounting(request: IncomingMessage): void {
  paused.delete(request);
}

function endRoundLater(): void {
  isCounting = true;
  setImmediate(endRound);
}

function endRound(): void {
  bytes = 0;
  isCounting = false;
  let resumed = 0;
  for (const request of paused) {
    if (resumed++ === resumedMax) break;
    paused.delete(request);
    request.resume();
  }
  if (paused.size > 0) endRoundLater();
}
