/** A model that ran for so long since its last crash is taken to be well. */
const wellAfterMs = 60_000;
const firstWaitMs = 1_000;
const waitMsMax = 60_000;

/**
 * How long a model that crashed is left alone. After a first crash it may start at once; while it goes on crashing, the wait
 * doubles, so that starting it again and again does not take the machine from everything else.
 */
export class CrashBackoff {
  readonly #now: () => number;
  readonly #crashes = new Map<string, { count: number; lastAt: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Counts a crash of a model. */
  count(id: string): void {
    const lastAt = this.#now();
    const before = this.#crashes.get(id);
    const isAnew = !before || lastAt - before.lastAt > wellAfterMs + waitMsOf(before.count);
    this.#crashes.set(id, { count: isAnew ? 1 : before.count + 1, lastAt });
  }

  /** @returns 0 where the model may start. */
  waitMs(id: string): number {
    const crashes = this.#crashes.get(id);
    if (!crashes) return 0;
    return Math.max(0, crashes.lastAt + waitMsOf(crashes.count) - this.#now());
  }
}

function waitMsOf(count: number): number {
  return count === 1 ? 0 : Math.min(firstWaitMs * 2 ** (count - 2), waitMsMax);
}
