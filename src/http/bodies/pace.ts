import type { IncomingMessage } from 'node:http';
import { openDrain } from './drain.ts';

export type PaceLimits = {
  /** What a body must bring on average in each window of time. */
  bytesPerSecondMin: number;
  /** The time that a body may take from its first byte to its last. */
  secondsMax: number;
};

/** Watches bodies while they arrive. */
export type Pace = {
  /**
   * Calls `onLate` once, with the limit that was missed, unless the body is complete or its connection closed by then.
   * Call what is returned when the body no longer matters.
   */
  watch(request: IncomingMessage, onLate: (reason: string) => void): () => void;
  /** Throws away what is still to come of a body whose request is answered, and closes the connection if that is too much. */
  discard(request: IncomingMessage): void;
  close(): void;
};

/**
 * Ends bodies that arrive too slowly: each holds a connection and memory, and costs its sender nothing. Rounds are
 * counted instead of time, so that a server which was busy for a while does not blame its clients.
 */
export function openPace({ bytesPerSecondMin, secondsMax }: PaceLimits, roundMs = 1000): Pace {
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

/** The first window is also the time in which a body may be slow to begin. */
const windowRounds = 10;

/** A client that sends all before it reads the answer has sent this much of a body that is refused. */
const discardedBytesMax = 64 * 1024 * 1024;

type Arrival = {
  request: IncomingMessage;
  onLate(reason: string): void;
  rounds: number;
  /** What had come over the connection when the window began. */
  bytesRead: number;
  bytesReadMax: number;
};
