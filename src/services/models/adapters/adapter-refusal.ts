import { ModelUnavailable } from '../../../chat/types.ts';
import { AdapterRefused } from '../../../engine/adapters/adapter.ts';
import { busy, Failure, invalidInput } from '../../../util/failures.ts';
import { Overloaded } from '../../../util/overloaded.ts';

/** Why an adapter could not be loaded, for the client; other errors are returned unchanged. */
export function adapterRefusal(error: unknown): unknown {
  if (error instanceof AdapterRefused) return invalidInput(error.message);
  if (error instanceof Overloaded) return busy(error.message, error);
  if (error instanceof ModelUnavailable) return new Failure('unavailable', error.message, {}, { cause: error });
  return error;
}
