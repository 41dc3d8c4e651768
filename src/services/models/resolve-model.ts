import type { ModelReference } from '../../chat/types.ts';
import type { Caller } from '../../identity/identity.ts';
import { notFound } from '../../util/failures.ts';

/**
 * Resolves a name in a request to a base model and, if it is one, an adapter. Null if the resolver does not know the
 * name. @throws Failure if the caller may not use it
 */
export type ModelResolver = (name: string, caller: Caller) => Promise<ModelReference | null>;

/** Asks one resolver after another. */
export async function resolveModel(
  resolvers: readonly ModelResolver[],
  name: string,
  caller: Caller,
): Promise<ModelReference | null> {
  for (const resolve of resolvers) {
    const found = await resolve(name, caller);
    if (found !== null) return found;
  }
  return null;
}

export function noSuchModel(name: string): Error {
  return notFound(`There is no model ${name}. GET /v1/models lists the available models.`, { param: 'model' });
}
