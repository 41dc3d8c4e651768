/** After this time without a crash, earlier crashes no longer count. */
const wellAfterMs = 60_000;
const firstWaitMs = 1_000;
const waitMsMax = 60_000;

/**
 * How long a crashed model is not restarted. After its first crash it may start at once; while it keeps crashing, the
 * wait doubles, so that repeated starts do not load the machine.
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
    const isFirst = !before || lastAt - before.lastAt > wellAfterMs + waitMsOf(before.count);
    this.#crashes.set(id, { count: isFirst ? 1 : before.count + 1, lastAt });
  }

  /** @returns 0 if the model may start. */
  waitMs(id: string): number {
    const crashes = this.#crashes.get(id);
    if (!crashes) return 0;
    return Math.max(0, crashes.lastAt + waitMsOf(crashes.count) - this.#now());
  }
}

function waitMsOf(count: number): number {
  return count === 1 ? 0 : Math.min(firstWaitMs * 2 ** (count - 2), waitMsMax);
}
