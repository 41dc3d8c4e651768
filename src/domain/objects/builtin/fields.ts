import { z } from 'zod';
import { JsonNumber } from '../../../util/json/lossless.ts';
import { readDecimal, readTruth } from '../../../util/lax-text.ts';

/**
 * The fields of built-in classes. They parse and write values in which numbers are {@link JsonNumber}, because digests
 * distinguish `1` from `1.0`. They follow Pydantic's lax mode in what they accept and how they convert it.
 */

/** An integer; also `"12"`, `2.0` and a boolean. */
export function integer({ least = -Infinity, most = Infinity } = {}) {
  return z.unknown().transform((value, context): JsonNumber => {
    const number = toInteger(value);
    if (number === null) return fault(context, value, 'int_type', 'Input should be a valid integer');
    if (number >= least && number <= most) return new JsonNumber(number.toString());
    return number < least
      ? fault(context, value, 'greater_than_equal', `Input should be greater than or equal to ${least}`)
      : fault(context, value, 'less_than_equal', `Input should be less than or equal to ${most}`);
  });
}

/** A number, always written as a float; also a numeric string and a boolean. */
export function float() {
  return z.unknown().transform((value, context): JsonNumber => {
    if (value instanceof JsonNumber) return value.isInteger ? new JsonNumber(`${value.text}e0`) : value;
    if (typeof value === 'boolean') return new JsonNumber(value ? '1.0' : '0.0');
    const read = typeof value === 'string' ? readDecimal(value) : null;
    return read === null
      ? fault(context, value, 'float_type', 'Input should be a valid number')
      : new JsonNumber(read.toExponential());
  });
}

/** A boolean; also 0 and 1, and words such as `"true"` and `"no"`. */
export function flag() {
  return z.unknown().transform((value, context): boolean => {
    if (typeof value === 'boolean') return value;
    const read = readTruth(String(value instanceof JsonNumber ? value.valueOf() : value));
    return read ?? fault(context, value, 'bool_type', 'Input should be a valid boolean');
  });
}

/** A string of at least one character. */
export function filledText() {
  return z.string().refine((text) => text !== '', {
    message: 'String should have at least 1 character',
    params: { type: 'string_too_short' },
  });
}

/** An object with any members, unchanged. */
export function anyObject() {
  const isObject = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
  return z.custom<Record<string, unknown>>(isObject, {
    message: 'Input should be a valid dictionary',
    params: { type: 'dict_type' },
  });
}

type Shape = Record<string, z.ZodType>;
type ModelOptions = { bases?: string[]; extra?: 'drop' | 'keep' | 'forbid' };

/** A class: its fields and, as in instances written by the SDK, its name and its ancestors. */
export function model<Fields extends Shape>(
  name: string,
  fields: Fields,
  { bases = ['BaseModel'], extra = 'drop' }: ModelOptions = {},
) {
  const schemas = { drop: z.object, keep: z.looseObject, forbid: z.strictObject };
  return schemas[extra](fields).transform((value) => ({ ...value, _type: name, _class_name: name, _bases: bases }));
}

function toInteger(value: unknown): bigint | null {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof JsonNumber) {
    if (value.isInteger) return BigInt(value.text);
    return Number.isInteger(value.valueOf()) ? BigInt(value.valueOf()) : null;
  }
  return typeof value === 'string' && /^\s*[+-]?\d{1,100}\s*$/.test(value)
    ? BigInt(value.trim().replace('+', ''))
    : null;
}

function fault(context: z.RefinementCtx, input: unknown, type: string, message: string): never {
  const missing = input === undefined;
  context.addIssue({
    code: 'custom',
    message: missing ? 'Field required' : message,
    params: { type: missing ? 'missing' : type },
    input: input instanceof JsonNumber ? input.valueOf() : input,
  });
  return z.NEVER;
}
