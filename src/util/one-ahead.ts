/** The same values; each one is requested while the previous one is still being used. At most one is buffered. */
export async function* oneAhead<Value>(source: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]();
  const ask = () => {
    const asked = iterator.next();
    asked.catch(() => {}); // the error is seen when it is awaited
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
