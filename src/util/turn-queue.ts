/** Turns for work that blocks the event loop. */
export type TurnQueue = {
  /** Resolves in a later round of the event loop, in the order of the calls. */
  next(): Promise<void>;
  /** Resolves at once while the current round is short; otherwise the same as `next`. */
  nextIfLate(): Promise<void>;
};

/** How long what starts in one round may block everything else. */
const roundMsMax = 10;

/**
 * Between rounds everything else that is ready runs, so that a queue of work delays no other request for long. Where the
 * rest of a round takes longer, so may the turns: they get at least half of the time.
 */
export function openTurnQueue(): TurnQueue {
  const waiting: (() => void)[] = [];
  let isGiving = false;
  let givenAt = 0;
  let roundStartedAt: number | null = null;

  function give(): void {
    const startedAt = performance.now();
    const endsAt = startedAt + Math.max(roundMsMax, startedAt - givenAt);
    const giveOne = () => {
      waiting.shift()!();
      afterMicrotasks(() => {
        givenAt = performance.now();
        if (waiting.length === 0) isGiving = false;
        else if (givenAt < endsAt) giveOne();
        else setImmediate(give);
      });
    };
    giveOne();
  }

  function next(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (isGiving) return;
      isGiving = true;
      givenAt = performance.now();
      setImmediate(give);
    });
  }

  /** The time since the first call in this round, in which many sockets may have become readable. */
  function roundMs(): number {
    if (roundStartedAt === null) {
      roundStartedAt = performance.now();
      setImmediate(() => {
        roundStartedAt = null;
      });
    }
    return performance.now() - roundStartedAt;
  }

  return {
    next,
    async nextIfLate() {
      if (isGiving || roundMs() >= roundMsMax) await next();
    },
  };
}

/** Runs when all promises that have settled, and those that settle meanwhile, have been handled. */
function afterMicrotasks(run: () => void): void {
  queueMicrotask(() => process.nextTick(run));
}
