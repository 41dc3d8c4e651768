import { ConstraintFailed, ConstraintRefused, NoTokenLeft } from '../../engine/errors.ts';
import { BadRequest } from '../bad-request.ts';

const constrainingFields = 'allowed_token_ids, bad_words, min_tokens, response_format and structured_outputs';

/** Converts errors of the engine that the request caused to errors of its fields; other errors are unchanged. */
export function asBadRequest(error: Error, constraintField: string | null = null): Error {
  if (error instanceof ConstraintRefused) {
    return new BadRequest(`${constraintField} cannot be used: ${error.message}.`, constraintField);
  }
  if (error instanceof ConstraintFailed) return new BadRequest(error.message, null);
  if (error instanceof NoTokenLeft) return new BadRequest(`${error.message} Look at ${constrainingFields}.`, null);
  return error;
}
