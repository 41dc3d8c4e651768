import type { Caller } from '../../../identity/identity.ts';
import { invalidField } from '../../../util/failures.ts';

/**
 * Opens the training data at an address: JSON lines. Null if the address is not of its kind.
 * @throws Failure if there is no data, or none that the caller may read
 */
export type DataResolver = (address: string, caller: Caller) => Promise<AsyncIterable<Uint8Array> | null>;

/** Asks one resolver after another. @throws Failure */
export async function resolveData(
  resolvers: readonly DataResolver[],
  address: string,
  caller: Caller,
): Promise<AsyncIterable<Uint8Array>> {
  for (const resolve of resolvers) {
    const found = await resolve(address, caller);
    if (found !== null) return found;
  }
  throw invalidField(
    'training_data_url',
    'Input should be the address of an artifact (wandb-artifact:///entity/project/name:v0), of a dataset or a table ' +
      '(weave:///entity/project/object/name:latest), or a data: URL',
  );
}
