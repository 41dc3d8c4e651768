import { type Failure, unacceptable } from '../../util/failures.ts';
import { UnsoundFileError, UnsupportedModelError } from '../models/config.ts';

/** Converts errors about unsupported or invalid models to a `Failure`. Other errors are returned unchanged. */
export function refusalOf(error: unknown): Failure | unknown {
  const isRefusal = error instanceof UnsoundFileError || error instanceof UnsupportedModelError;
  return isRefusal ? unacceptable(`The model cannot be served: ${error.message}.`) : error;
}
