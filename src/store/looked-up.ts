/** A figure that takes a statement, so it is known as of the last time that somebody wanted it. */
export type LookedUp<Value> = {
  /** What was found last; null before that, and after a failure. Asks again in the background if that is a minute ago. */
  latest(): Value | null;
};

const freshMs = 60_000;

/** Asks at once, and then only while `mayAsk` allows it. */
export function lookUp<Value>(ask: () => Promise<Value>, mayAsk: () => boolean = () => true): LookedUp<Value> {
  let value: Value | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;

  async function refresh(): Promise<void> {
    askedAt = performance.now();
    value = await ask().catch(() => null);
  }

  void refresh();
  return {
    latest() {
      if (performance.now() - askedAt > freshMs && mayAsk()) void refresh();
      return value;
    },
  };
}
