import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, openClient } from '../kills/client.ts';
import type { Place } from './places.ts';

/** Statuses of stores that are away from a process, and of a process that drains. */
export const expectedStatuses = [502, 503, 507];
const retriesMax = 6;
/** How long a writer waits: shorter than most freezes, so that one process does not hold it up. */
export const timeoutMs = 4000;

/**
 * A client that sends each request to any of the processes. If it retries, as the SDKs do, it repeats a request that was not
 * answered, or not by a process that could. An answer of another kind to a repeated request says nothing of the first one.
 */
export function clientOfAny(
  places: readonly Place[],
  random: () => number,
  { retries, timeoutMs }: { retries: boolean; timeoutMs?: number },
): Client {
  const any = () => clientOf(places[Math.floor(random() * places.length)]!, timeoutMs);
  return {
    get url() {
      return any().url;
    },
    ask: (...request) => (retries ? repeat(() => any().ask(...request)) : any().ask(...request)),
    try: (...request) => (retries ? repeat(() => any().try(...request)) : any().try(...request)),
    upload: (...request) => (retries ? repeat(() => any().upload(...request)) : any().upload(...request)),
    admin: (...request) => any().admin(...request),
  };
}

export function clientOf({ heddle, data }: Place, timeoutMs?: number): Client {
  return openClient(heddle, data, timeoutMs);
}

async function repeat<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  for (let retries = 0; ; retries++) {
    try {
      return await request();
    } catch (error) {
      const status = statusOf(error as Error);
      const mayRepeat = status === null || expectedStatuses.includes(status);
      if (!mayRepeat && retries > 0)
        throw new Error(`it is unknown what a repeated request did; ${status} of the last`);
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
