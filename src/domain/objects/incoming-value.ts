import { validate } from '../../contract/validate.ts';
import { invalidInput } from '../../util/failures.ts';
import type { LosslessJson } from '../../util/json/lossless.ts';
import { builtinClasses } from './builtin/builtin-classes.ts';
import { fromFields, toFields } from './builtin/value-fields.ts';
import { classesOf, kindOf, type ObjectClasses, untyped } from './classes.ts';

/** A value as it will be hashed and stored, and its classes. */
export type IncomingValue = { value: LosslessJson; classes: ObjectClasses; kind: 'object' | 'op' };

/**
 * Parses a value that a client publishes. A value that names its class is kept unchanged; any other one is validated
 * and completed if the client requests a built-in class.
 * @throws Failure for a class that is unknown or does not fit the value.
 * @throws ValidationError for locations below `val` at which the value violates the rules of its class.
 */
export function readIncomingValue(value: LosslessJson, requested: string | null): IncomingValue {
  const classes = classesOf(value);
  if (requested === null) return { value, classes: classes ?? untyped, kind: kindOf(value) };
  if (!(value instanceof Map)) throw invalidInput('object_class cannot be provided for non-dict objects');
  if (classes !== null) {
    if (classes.leaf === requested) return { value, classes, kind: kindOf(value) };
    throw invalidInput(`object_class must match val's defined object class: ${classes.leaf} != ${requested}`);
  }
  if (!Object.hasOwn(builtinClasses, requested)) throw invalidInput(`Unknown object class: ${requested}`);
  const completed = fromFields(validate(builtinClasses[requested]!, toFields(value), 'val'));
  return { value: completed, classes: classesOf(completed) ?? untyped, kind: kindOf(completed) };
}
