import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../../util/failures.ts';

/** Delays before the second and further attempts, in milliseconds. */
const delaysMs = [500, 2000, 8000];

/** Retries failures caused by a busy or unavailable model or provider. */
export async function withRetries<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (const delayMs of delaysMs) {
    try {
      return await work();
    } catch (error) {
      const isTransient = error instanceof Failure && (error.kind === 'busy' || error.kind === 'unavailable');
      if (!isTransient) throw error;
      await delay(delayMs * (0.5 + Math.random()), undefined, { signal });
    }
  }
  return work();
}
