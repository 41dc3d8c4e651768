import { setTimeout } from 'node:timers/promises';
import type { Latency } from '../../latency.ts';
import { StoreError } from '../store-error.ts';
import { explain, isTransient } from './errors.ts';

/** Sends statements again that may succeed later, and knows whether the server answers. */
export type Attempts = {
  /** @throws Failure `unavailable` if the server does not respond within `msMax` */
  run<Answer>(msMax: number, send: () => Promise<Answer>): Promise<Answer>;
  /** Whether a statement got no answer lately. If not, an idle server need not be asked. */
  isInDoubt(): boolean;
  /** Whether a statement was answered within this time. If so, another one does not wake the server up. */
  hasAnsweredWithin(ms: number): boolean;
};

const firstPauseMs = 50;
const pauseMsMax = 2_000;
/** A statement that takes longer may be waiting for a server that is gone. */
const silentMs = 2_000;

export function openAttempts(latency: Latency): Attempts {
  const underWay = new Set<{ since: number }>();
  let isLost = false;
  let answeredAt = performance.now();

  async function once<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    const one = { since: performance.now() };
    underWay.add(one);
    try {
      const answer = await latency.measure(send);
      answeredAt = performance.now();
      isLost = false;
      return answer;
    } catch (error) {
      isLost = error instanceof StoreError && isTransient(error);
      throw error;
    } finally {
      underWay.delete(one);
    }
  }

  return {
    async run(msMax, send) {
      const giveUpAt = performance.now() + msMax;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
        try {
          return await once(send);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          if (!isTransient(error) || performance.now() + pauseMs > giveUpAt) throw explain(error);
          await setTimeout(pauseMs * (0.5 + Math.random() / 2));
        }
      }
    },
    isInDoubt() {
      const [oldest] = underWay;
      return isLost || (oldest !== undefined && performance.now() - oldest.since > silentMs);
    },
    hasAnsweredWithin: (ms) => performance.now() - answeredAt < ms,
  };
}
