/** Turns for work that blocks the event loop. */
export type TurnQueue = {
  /** Resolves in a later round of the event loop, in the order of the calls. */
  next(): Promise<void>;
  /** Resolves at once while the current round is short; otherwise the same as `next`. */
  nextIfLate(): Promise<void>;
};

/** How long what starts in one round may block everything else. */
const roundMsMax = 10;

/** The time that the turns of all queues have taken. */
let turnsMs = 0;

/** A clock that stops during turns. */
function restMs(): number {
  return performance.now() - turnsMs;
}

/**
 * Between rounds everything else that is ready runs, so that a queue of work delays no other request for long. Where the
 * rest of a round takes longer, so may the turns of each queue. Turns of other queues do not count as the rest: two
 * queues would make each other's rounds longer and longer.
 */
export function openTurnQueue(): TurnQueue {
  const waiting: (() => void)[] = [];
  let isGiving = false;
  let restMsBefore = 0;
  let roundStartedAt: number | null = null;

  function give(): void {
    const startedAt = performance.now();
    const endsAt = startedAt + Math.max(roundMsMax, restMs() - restMsBefore);
    const giveOne = () => {
      waiting.shift()!();
      afterMicrotasks(() => {
        const now = performance.now();
        if (waiting.length > 0 && now < endsAt) return giveOne();
        turnsMs += now - startedAt;
        isGiving = waiting.length > 0;
        if (isGiving) giveLater();
      });
    };
    giveOne();
  }

  function giveLater(): void {
    restMsBefore = restMs();
    setImmediate(give);
  }

  function next(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (isGiving) return;
      isGiving = true;
      giveLater();
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
