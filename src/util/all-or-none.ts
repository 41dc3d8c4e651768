/**
 * Does some work for each item at the same time. When one fails, the others are aborted.
 * @throws the first error, once all have ended
 */
export async function allOrNone<Item, Result>(
  items: readonly Item[],
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  const stop = new AbortController();
  const stopping = AbortSignal.any([signal, stop.signal]);
  const working = items.map((item) => work(item, stopping));
  try {
    return await Promise.all(working);
  } catch (error) {
    stop.abort();
    await Promise.allSettled(working);
    throw error;
  }
}
