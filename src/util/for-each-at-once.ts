/**
 * Works on items as they come, on at most `atOnce` of them at a time. The first error ends it: the signal that the
 * others were given is aborted, and it throws once they have stopped.
 */
export async function forEachAtOnce<Item>(
  items: AsyncIterable<Item>,
  atOnce: number,
  signal: AbortSignal,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const either = AbortSignal.any([signal, failing.signal]);
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;
  const fail = (error: unknown) => {
    failure ??= { error };
    failing.abort(error);
  };
  try {
    for await (const item of items) {
      either.throwIfAborted();
      const one: Promise<void> = work(item, either)
        .catch(fail)
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= atOnce) await Promise.race(running);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(running);
  if (failure) throw (failure as { error: unknown }).error;
  signal.throwIfAborted();
}
