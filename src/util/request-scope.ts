import { AsyncLocalStorage } from 'node:async_hooks';

/** What the current work is done for. Code that works on behalf of a request can read it without a parameter. */
export type RequestScope = {
  /** Aborts when the client no longer waits; null for work that is always completed. */
  signal: AbortSignal | null;
  /** Work of one group shares a part of a resource: the project's id, or the user's until the project is known. */
  group: string;
};

const storage = new AsyncLocalStorage<RequestScope>();

export function withinScope<Value>(scope: RequestScope, work: () => Value): Value {
  return storage.run(scope, work);
}

/** Null for the server's internal work. */
export function currentScope(): RequestScope | null {
  return storage.getStore() ?? null;
}

/**
 * The same values, each created within the scope: otherwise a generator runs in the scope of the code that requests the
 * next value.
 */
export async function* iterateWithin<Value>(scope: RequestScope, values: AsyncIterable<Value>): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  try {
    while (true) {
      const next = await withinScope(scope, () => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await withinScope(scope, () => iterator.return?.());
  }
}
