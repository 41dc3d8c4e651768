import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../util/failures.ts';

/** A request did not succeed, but may if it is sent again. */
export class Transient extends Failure {
  /** The delay that the provider requests; null if it requests none. */
  readonly waitMs: number | null;

  constructor(kind: 'busy' | 'unavailable', message: string, waitMs: number | null = null) {
    super(kind, message);
    this.waitMs = waitMs;
  }
}

export type Backoff = { attemptsMax: number; firstMs: number; waitMsMax: number };

/** Retries after a `Transient` error, with increasing delays, until the deadline. */
export async function withBackoff<Result>(
  { attemptsMax, firstMs, waitMsMax }: Backoff,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Transient) || attempts >= attemptsMax) throw error;
      const grown = firstMs * 2 ** (attempts - 1) * (0.5 + Math.random() / 2); // clients that failed together spread out
      const waitMs = error.waitMs ?? Math.min(grown, waitMsMax);
      if (waitMs > waitMsMax || performance.now() + waitMs > deadline) throw error;
      await sleep(waitMs, undefined, { signal });
    }
  }
}
