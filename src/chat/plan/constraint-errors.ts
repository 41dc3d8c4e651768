import { ConstraintFailed, ConstraintRefused, NoTokenLeft } from '../../engine/errors.ts';
import { invalidInput } from '../../util/failures.ts';

const constrainingFields = 'allowed_token_ids, bad_words, min_tokens, response_format and structured_outputs';

/** The errors of the engine that the request caused, in the words of its fields; other errors stay as they are. */
export function asBadRequest(error: Error, constraintField: string | null = null): Error {
  if (error instanceof ConstraintRefused) {
    return invalidInput(`${constraintField} cannot be used: ${error.message}.`, { param: constraintField });
  }
  if (error instanceof ConstraintFailed) return invalidInput(error.message);
  if (error instanceof NoTokenLeft) return invalidInput(`${error.message} Look at ${constrainingFields}.`);
  return error;
}
