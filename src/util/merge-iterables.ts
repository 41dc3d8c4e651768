/** The items of several iterables as they arrive, each with the place of its iterable. Leaving ends all of them. */
export async function* mergeIterables<Item>(iterables: readonly AsyncIterable<Item>[]): AsyncGenerator<[number, Item]> {
  const iterators = iterables.map((each) => each[Symbol.asyncIterator]());
  const next = async (at: number) => ({ at, result: await iterators[at]!.next() });
  const pending = new Map(iterators.map((_, at) => [at, next(at)]));
  try {
    while (pending.size > 0) {
      const { at, result } = await Promise.race(pending.values());
      if (result.done) pending.delete(at);
      else {
        pending.set(at, next(at));
        yield [at, result.value];
      }
    }
  } finally {
    for (const promise of pending.values()) promise.catch(() => {}); // one failure is reported, the others follow from it
    for (const iterator of iterators) void iterator.return?.()?.catch(() => {});
  }
}
