import { JsonText } from '../../util/json/json-text.ts';
import { anyJson, lax, optional, problem } from '../wire.ts';

/**
 * A number; also `"0.5"`. Non-finite numbers are accepted here: the sampling values decide which numbers they accept.
 */
export function number() {
  return lax('number', (value) => {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value === 'number') return value;
    if (typeof value !== 'string') return problem('float_type', 'Input should be a valid number');
    const word = value.trim().toLowerCase();
    if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word)) return Number(word);
    const sign = word.startsWith('-') ? -1 : 1;
    if (/^[+-]?inf(inity)?$/.test(word)) return sign * Number.POSITIVE_INFINITY;
    if (/^[+-]?nan$/.test(word)) return Number.NaN;
    return problem('float_parsing', 'Input should be a valid number, unable to parse string as a number');
  });
}

const int64Most = 2n ** 63n - 1n;
const int64Least = -(2n ** 63n);
/** The bounds after rounding to a double. */
const printedBound = 9223372036854776000n;

/** A 64-bit integer or null, read from its digits: a double holds only 53 bits. */
export function optionalInt64(least = int64Least) {
  const schema = anyJson({
    anyOf: [{ type: 'integer', minimum: Number(least), maximum: Number(int64Most) }, { type: 'null' }],
  });
  return schema
    .transform((text, context): bigint | null => {
      const read = text instanceof JsonText && text.kind !== 'null' ? bigintOf(text) : null;
      const found = typeof read === 'bigint' ? inBounds(read, least) : read;
      if (found === null || typeof found === 'bigint') return found;
      context.addIssue({ code: 'custom', message: found.message, params: { type: found.type }, input: null });
      return null;
    })
    .default(null);
}

function bigintOf(text: JsonText) {
  if (text.kind === 'boolean') return text.text === 'true' ? 1n : 0n;
  if (text.kind !== 'number' && text.kind !== 'string') return problem('int_type', 'Input should be a valid integer');
  const isText = text.kind === 'string';
  const digits = isText ? (JSON.parse(text.text) as string).trim() : text.text;
  if (/^[+-]?\d+(\.0*)?$/.test(digits)) return BigInt(digits.replace(/\..*$/, '').replace(/^\+/, ''));
  if (isText) return problem('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
  const value = Number(digits);
  if (!Number.isFinite(value)) return problem('finite_number', 'Input should be a finite number');
  if (Number.isInteger(value)) return BigInt(value);
  return problem('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
}

function inBounds(value: bigint, least: bigint) {
  if (value === printedBound) return int64Most;
  if (value === -printedBound && least === int64Least) return least;
  if (value > int64Most) {
    return problem('less_than_equal', `Input should be less than or equal to ${int64Most}`);
  }
  if (value < least) return problem('greater_than_equal', `Input should be greater than or equal to ${least}`);
  return value;
}

export function optionalNumber() {
  return optional(number());
}
