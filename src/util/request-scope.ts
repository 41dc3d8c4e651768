import { AsyncLocalStorage } from 'node:async_hooks';

/** What the work under way is done for. Whoever does work on a request's behalf can ask for it without being given it. */
export type RequestScope = {
  /** Aborts when nobody waits for the answer any more; null for work that is finished in any case. */
  signal: AbortSignal | null;
  /** Work of one group shares its part of a resource: a project's id, or the user's until the project is known. */
  group: string;
};

const storage = new AsyncLocalStorage<RequestScope>();

export function withinScope<Value>(scope: RequestScope, work: () => Value): Value {
  return storage.run(scope, work);
}

/** Null for what the server does on its own account. */
export function currentScope(): RequestScope | null {
  return storage.getStore() ?? null;
}

/** The same values, each made within the scope: a generator otherwise runs in the scope of whoever asks for the next one. */
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
