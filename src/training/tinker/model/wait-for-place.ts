import { setTimeout as sleep } from 'node:timers/promises';
import { ServerFull } from '../client/server-full.ts';

export type Waiting = {
  signal?: AbortSignal | undefined;
  /** Called with the reason when the waiting begins, and with null when it ends. Left out: nothing waits. */
  onWaiting?: ((reason: string | null) => void) | undefined;
  /** How long to wait at most. */
  msMax?: number;
};

const lookMs = 3_000;

/** Repeats work that creates models while the server has no place for another one. @throws ServerFull after too long */
export async function waitForPlace<Result>(
  work: () => Promise<Result>,
  { signal, onWaiting, msMax = Number.POSITIVE_INFINITY }: Waiting,
): Promise<Result> {
  const startedAt = performance.now();
  for (let isWaiting = false; ; isWaiting = true) {
    try {
      const result = await work();
      if (isWaiting) onWaiting?.(null);
      return result;
    } catch (error) {
      const isLate = performance.now() - startedAt > msMax;
      if (!(error instanceof ServerFull) || !onWaiting || isLate) throw error;
      if (!isWaiting) onWaiting(error.message);
    }
    await sleep(lookMs, undefined, { signal });
  }
}
