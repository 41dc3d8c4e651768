import { ValidationError } from '../../util/failures.ts';
import { JsonText } from '../../util/json/json-text.ts';
import { type LosslessJson, stringifyLossless } from '../../util/json/lossless.ts';

export type Location = (string | number)[];

/** The error for a query with an invalid shape, in Pydantic's wording. */
export function shapeError(type: string, msg: string, loc: Location, input: LosslessJson): ValidationError {
  return new ValidationError([{ type, loc, msg, input: new JsonText(stringifyLossless(input)) }]);
}
