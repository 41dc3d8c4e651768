import { ModelUnavailable } from '../../../chat/types.ts';
import { Failure } from '../../../util/failures.ts';

/** Why an adapter could not be loaded, for the client; other errors stay as they are. */
export function adapterRefusal(error: unknown): unknown {
  if (error instanceof ModelUnavailable) return new Failure('unavailable', error.message, {}, { cause: error });
  return error;
}
