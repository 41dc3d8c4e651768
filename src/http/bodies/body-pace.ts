import type { IncomingMessage } from 'node:http';
import { openDrain } from './drain.ts';

export type PaceLimits = {
  /** The average rate that a body must reach in each time window. */
  bytesPerSecondMin: number;
  /** The maximum time from a body's first byte to its last. */
  secondsMax: number;
};

/** Watches bodies while they arrive. */
export type BodyPace = {
  /**
   * Calls `onLate` once with the limit that was missed, unless the body is complete or its connection is closed by
   * then. Call the returned function when the body no longer matters.
   */
  watch(request: IncomingMessage, onLate: (reason: string) => void): () => void;
  /** Discards the rest of a body whose request is answered, and closes the connection if it is too much. */
  discard(request: IncomingMessage): void;
  close(): void;
};

/**
 * Ends bodies that arrive too slowly: each holds a connection and memory, at no cost to its sender. Counts rounds of
 * the event loop instead of time, so that a busy server does not blame its clients.
 */
export function openPace({ bytesPerSecondMin, secondsMax }: PaceLimits, roundMs = 1000): BodyPace {
  const arrivals = new Set<Arrival>();
  const drain = openDrain();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    for (const arrival of arrivals) {
      const { request } = arrival;
      if (request.complete || request.destroyed) arrivals.delete(arrival);
      else {
        const reason = lateness(arrival);
        if (reason === null) continue;
        arrivals.delete(arrival);
        arrival.onLate(reason);
      }
    }
    if (arrivals.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  function lateness(arrival: Arrival): string | null {
    if (++arrival.rounds >= secondsMax) {
      return `The body took longer than ${secondsMax} seconds (HEDDLE_BODY_SECONDS_MAX). Send less at once, or faster.`;
    }
    const { bytesRead } = arrival.request.socket;
    if (bytesRead > arrival.bytesReadMax) return `The rest of the body has more than ${discardedBytesMax} bytes.`;
    if (arrival.rounds % windowRounds !== 0) return null;
    const [found, expected] = [bytesRead - arrival.bytesRead, bytesPerSecondMin * windowRounds];
    arrival.bytesRead = bytesRead;
    if (found >= expected) return null;
    const limit = `expected at least ${expected} (HEDDLE_BODY_BYTES_PER_SECOND_MIN=${bytesPerSecondMin})`;
    return `The body arrives too slowly: ${found} bytes in ${windowRounds} seconds, ${limit}.`;
  }

  function watch(request: IncomingMessage, onLate: Arrival['onLate'], bytesMax = Number.POSITIVE_INFINITY) {
    const { bytesRead } = request.socket;
    const arrival = { request, onLate, rounds: 0, bytesRead, bytesReadMax: bytesRead + bytesMax };
    arrivals.add(arrival);
    timer ??= setInterval(check, roundMs).unref();
    return () => arrivals.delete(arrival);
  }

  return {
    watch,
    discard(request) {
      if (request.complete || request.destroyed || drain.has(request)) return;
      drain.add(request);
      watch(request, () => void request.destroy(), discardedBytesMax);
    },
    close() {
      clearInterval(timer);
      arrivals.clear();
      drain.close();
    },
  };
}

/** The first window also covers a slow start. */
const windowRounds = 10;

/** How much of a rejected body has been sent by a client that sends everything before it reads the response. */
const discardedBytesMax = 64 * 1024 * 1024;

type Arrival = {
  request: IncomingMessage;
  onLate(reason: string): void;
  rounds: number;
  /** The bytes received on the connection when the window began. */
  bytesRead: number;
  bytesReadMax: number;
};
