import { ModelUnavailable } from '../../../chat/types.ts';
import { AdapterRefused } from '../../../engine/adapters/adapter.ts';
import { Failure, invalidInput } from '../../../util/failures.ts';

/** Why an adapter could not be loaded, for the client; other errors stay as they are. */
export function adapterRefusal(error: unknown): unknown {
  if (error instanceof AdapterRefused) return invalidInput(error.message);
  if (error instanceof ModelUnavailable) return new Failure('unavailable', error.message, {}, { cause: error });
  return error;
}
