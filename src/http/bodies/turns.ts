/**
 * Gives out turns, one in each round of the event loop, in the order in which they were asked for. Between two turns
 * everything else that is ready gets its time, so that a queue of work delays no other request by more than one piece.
 */
export function openTurns(): () => Promise<void> {
  const waiting: (() => void)[] = [];

  function give(): void {
    waiting.shift()!();
    if (waiting.length > 0) setImmediate(give);
  }

  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(give);
    });
}
