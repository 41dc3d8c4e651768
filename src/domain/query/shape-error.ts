import { ValidationError } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { type LosslessJson, stringifyLossless } from '../../util/json/lossless.ts';

export type Location = (string | number)[];

/** A query whose shape is wrong, in the words of Pydantic. */
export function shapeError(type: string, msg: string, loc: Location, input: LosslessJson): ValidationError {
  return new ValidationError([{ type, loc, msg, input: new JsonText(stringifyLossless(input)) }]);
}
