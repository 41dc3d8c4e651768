import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, openClient } from '../kills/client.ts';
import type { Place } from './places.ts';

/** Statuses of stores that are away from a process, and of a process that drains. */
export const expectedStatuses = [502, 503, 507];
const retriesMax = 6;
/** How long a writer waits: shorter than most freezes, so that one process does not hold it up. */
export const timeoutMs = 4000;
const readerTimeoutMs = 20_000;

/**
 * A client that sends each request to any of the processes. If it retries, it repeats requests about calls, as the SDKs do, that were
 * not answered, or not by a process that could. An answer of another kind to a repeated request says nothing of the first one.
 * A request that has timed out is not repeated: a process that was frozen may do it later, after other changes.
 */
export function writerOfAny(places: readonly Place[], random: () => number, retries: boolean): Client {
  const any = () => clientOf(anyOf(places, random), timeoutMs);
  return {
    get url() {
      return any().url;
    },
    ask: (method, path, body) => {
      const request = () => any().ask(method, path, body);
      return retries && path.startsWith('/call') ? repeat(request, { isRead: false }) : request();
    },
    try: (...request) => any().try(...request),
    upload: (...request) => any().upload(...request),
    admin: (...request) => any().admin(...request),
  };
}

/** A client that only reads, from any of the processes, so it can repeat everything. */
export function readerOfAny(places: readonly Place[], random: () => number): Client {
  const any = () => clientOf(anyOf(places, random), readerTimeoutMs);
  return {
    get url() {
      return any().url;
    },
    ask: (...request) => repeat(() => any().ask(...request), { isRead: true }),
    try: (...request) => repeat(() => any().try(...request), { isRead: true }),
    upload: (...request) => any().upload(...request),
    admin: (...request) => any().admin(...request),
  };
}

function anyOf(places: readonly Place[], random: () => number): Place {
  return places[Math.floor(random() * places.length)]!;
}

export function clientOf({ heddle, data }: Place, timeoutMs?: number): Client {
  return openClient(heddle, data, timeoutMs);
}

async function repeat<Answer>(request: () => Promise<Answer>, { isRead }: { isRead: boolean }): Promise<Answer> {
  for (let retries = 0; ; retries++) {
    try {
      return await request();
    } catch (cause) {
      const error = cause as Error;
      const status = statusOf(error);
      const isAnswer = status !== null && !expectedStatuses.includes(status);
      if (isAnswer && retries > 0 && !isRead)
        throw new Error(`it is unknown what a repeated request did; ${status} of the last`);
      const mayRepeat = !isAnswer && (isRead || error.name !== 'TimeoutError');
      if (!mayRepeat || retries === retriesMax) throw error;
      await sleep(100 * 2 ** retries);
    }
  }
}

/** The status in the message of a client's error; null if there was no answer. */
export function statusOf({ message }: Error): number | null {
  const [, status] = /: (\d{3}) /.exec(message) ?? [];
  return status === undefined ? null : Number(status);
}
