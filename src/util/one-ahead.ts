/** The same values; each is asked for while the one before is still being used. At most one waits. */
export async function* oneAhead<Value>(source: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = () => {
    const asked = iterator.next();
    asked.catch(() => {}); // whoever awaits it sees the error
    return asked;
  };
  let asked = ask();
  try {
    while (true) {
      const { done, value } = await asked;
      if (done) return;
      asked = ask();
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
