import { type Failure, unacceptable } from '../../util/failures.ts';
import { UnsoundFileError, UnsupportedModelError } from '../models/config.ts';

/** What the readers of the engine refuse, as an answer for whoever wanted the model; other errors stay. */
export function refusalOf(error: unknown): Failure | unknown {
  const isRefusal = error instanceof UnsoundFileError || error instanceof UnsupportedModelError;
  return isRefusal ? unacceptable(`The model cannot be served: ${error.message}.`) : error;
}
