import { type ApiError, unprocessable } from '../../contract/errors.ts';
import { UnsoundFileError, UnsupportedModelError } from '../models/config.ts';

/** What the readers of the engine refuse, as an answer for whoever wanted the model; other errors stay. */
export function refusalOf(error: unknown): ApiError | unknown {
  const isRefusal = error instanceof UnsoundFileError || error instanceof UnsupportedModelError;
  return isRefusal ? unprocessable(`The model cannot be served: ${error.message}.`) : error;
}
