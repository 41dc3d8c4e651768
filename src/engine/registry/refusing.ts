import { type Failure, unacceptable } from '../../util/failures.ts';
import { UnsoundFileError, UnsupportedModelError } from '../models/config.ts';

/** Turns what the engine's readers reject into an answer for the client; other errors stay as they are. */
export function refusalOf(error: unknown): Failure | unknown {
  const isRefusal = error instanceof UnsoundFileError || error instanceof UnsupportedModelError;
  return isRefusal ? unacceptable(`The model cannot be served: ${error.message}.`) : error;
}
