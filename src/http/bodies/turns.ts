export type Turns = {
  /** Resolves in a later round of the event loop, one caller in each round, in the order of the calls. */
  next(): Promise<void>;
  /** Resolves at once while the current round is short; otherwise the same as `next`. */
  nextIfLate(): Promise<void>;
};

/** How long what starts in one round may block everything else. */
const roundMsMax = 10;

/**
 * Turns for work that blocks the event loop. Between two of them everything else that is ready runs, so that a queue of
 * work delays no other request by more than one piece.
 */
export function openTurns(): Turns {
  const waiting: (() => void)[] = [];
  let roundStartedAt: number | null = null;

  function give(): void {
    waiting.shift()!();
    if (waiting.length > 0) setImmediate(give);
  }

  function next(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(give);
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
      if (waiting.length > 0 || roundMs() >= roundMsMax) await next();
    },
  };
}
