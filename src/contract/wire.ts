import { z } from 'zod';
import { JsonText } from '../util/json/json-text.ts';
import { readDecimal, readTruth } from '../util/lax-text.ts';
import { isBeyondTime, parseTimestamp } from '../util/timestamp.ts';

/**
 * The building blocks of request schemas. They accept what Pydantic's lax mode accepts, because clients were written
 * against it, and report errors in its terms (`int_parsing`, `dict_type` …).
 */

/** A field that may be absent or null; absent reads as null. */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().default(null as never);
}

/** A string that PostgreSQL can store and search for: it has no U+0000, and its driver drops a leading U+FEFF. */
export function text() {
  return z
    .string()
    .refine((value) => !value.includes('\0'), {
      error: 'Input should not contain the character U+0000',
      params: { type: 'string_nul' },
    })
    .refine((value) => !value.startsWith('\ufeff'), {
      error: 'Input should not begin with the character U+FEFF',
      params: { type: 'string_bom' },
    });
}

/** An integer that is read exactly, so of at most 53 bits; also `"12"` and `2.0`. */
export function int() {
  return lax('integer', (value) => {
    const read = readInt(value);
    return read instanceof Problem ? read : within(read, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER);
  });
}

/** How many rows to return or to skip: counts above any table's size become the largest that stores accept. */
export function rowCount() {
  return lax('integer', (value) => {
    const read = readInt(value);
    return read instanceof Problem ? read : Math.max(-rowsMax, Math.min(read, rowsMax));
  });
}

/** The sum of two of them is still exact. */
const rowsMax = 2 ** 52;

function readInt(value: unknown): number | Problem {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') {
    return /^\s*[+-]?\d+(\.0*)?\s*$/.test(value)
      ? Number(value)
      : problem('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
  }
  if (typeof value !== 'number') return problem('int_type', 'Input should be a valid integer');
  if (!Number.isFinite(value)) return problem('finite_number', 'Input should be a finite number');
  return Number.isInteger(value)
    ? value
    : problem('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
}

function within(value: number, most: number, least: number): number | Problem {
  if (value > most) return problem('less_than_equal', `Input should be less than or equal to ${most}`);
  if (value < least) return problem('greater_than_equal', `Input should be greater than or equal to ${least}`);
  return value;
}

/** A query parameter that may be repeated: `?id=a&id=b`. */
export function repeated() {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(text()));
}

/** A finite number; also `"1.5"`. */
export function float() {
  return lax('number', (value) => {
    if (typeof value === 'boolean') return Number(value);
    if (typeof value !== 'string' && typeof value !== 'number') {
      return problem('float_type', 'Input should be a valid number');
    }
    const read = typeof value === 'string' ? readDecimal(value) : value;
    if (read === null) {
      return problem('float_parsing', 'Input should be a valid number, unable to parse string as a number');
    }
    return Number.isFinite(read) ? read : problem('finite_number', 'Input should be a finite number');
  });
}

/** A boolean; also 0 and 1, and words such as `"true"` and `"no"`. */
export function bool() {
  return lax('boolean', (value) => {
    if (typeof value === 'boolean') return value;
    if (value === 1 || value === 0) return value === 1;
    if (typeof value !== 'string' && !Number.isInteger(value)) {
      return problem('bool_type', 'Input should be a valid boolean');
    }
    const read = readTruth(String(value));
    return read ?? problem('bool_parsing', 'Input should be a valid boolean, unable to interpret input');
  });
}

/** A point in time, read into microseconds since 1970. */
export function timestamp() {
  return lax<number, string>(
    'string',
    (value) => {
      if (typeof value !== 'string' && typeof value !== 'number') {
        return problem('datetime_type', 'Input should be a valid datetime');
      }
      return (
        parseTimestamp(value) ??
        problem('datetime_from_date_parsing', 'Input should be a valid datetime or date, such as 2026-01-31T12:00:00Z')
      );
    },
    { format: 'date-time' },
  );
}

/**
 * A point in time to store. A number that is too large reads as infinity, so that storing it rejects only this item:
 * the shape of the request is valid, and other items of its batch are not affected.
 */
export function writtenTimestamp() {
  return lax<number, string>(
    'string',
    (value) => {
      if (typeof value !== 'string' && typeof value !== 'number') {
        return problem('datetime_type', 'Input should be a valid datetime');
      }
      const read = parseTimestamp(value);
      if (read !== null) return read;
      if (isBeyondTime(value)) return Number(value) < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
      return problem(
        'datetime_from_date_parsing',
        'Input should be a valid datetime or date, such as 2026-01-31T12:00:00Z',
      );
    },
    { format: 'date-time' },
  );
}

const kept = new WeakSet<z.ZodType>();

/** Whether the JSON value at this schema is kept as text instead of being parsed. */
export function isKept(schema: z.ZodType): boolean {
  return kept.has(schema);
}

/** Any JSON value, kept as the text that was sent; `documented` describes it further. */
export function anyJson(documented: JsonSchema & { id?: string } = {}) {
  return keptJson<JsonText, unknown>(documented, (text) => text);
}

/** A JSON value that passes a check, kept as the text that was sent. @param fault why it does not pass; null if it does */
export function checkedJson(documented: JsonSchema & { id?: string }, fault: (text: JsonText) => string | null) {
  return keptJson<JsonText, unknown>(documented, (text) => {
    const found = fault(text);
    return found === null ? text : problem('value_error', found);
  });
}

/** A JSON object, kept as the text that was sent. */
export function jsonObject() {
  return keptJson<JsonText, Record<string, unknown>>({ type: 'object', additionalProperties: true }, (text) =>
    text.kind === 'object' ? text : noObject,
  );
}

/** A JSON object kept as text, or null; absent reads as null. */
export function optionalJsonObject() {
  const anyOf = [{ type: 'object', additionalProperties: true }, { type: 'null' }];
  const schema = keptJson<JsonText | null, Record<string, unknown> | null>({ anyOf }, (text) =>
    text.kind === 'null' ? null : text.kind === 'object' ? text : noObject,
  );
  return schema.default(null as never);
}

/**
 * An integer of any size, or null; absent reads as null. Returned as its digits, because a number would be rounded
 * beyond 2^53; with too many digits to be stored, it stays as it was written.
 */
export function optionalInteger() {
  const anyOf = [{ type: 'integer' }, { type: 'null' }];
  const schema = keptJson<string | null, number | null>({ anyOf }, readInteger);
  return schema.default(null as never);
}

function readInteger(json: JsonText): string | null | Problem {
  if (json.kind === 'null') return null;
  if (json.kind === 'boolean') return json.text === 'true' ? '1' : '0';
  if (json.kind !== 'string' && json.kind !== 'number') return problem('int_type', 'Input should be a valid integer');
  const text = json.kind === 'string' ? (JSON.parse(json.text) as string).trim() : json.text;
  const [, digits] = /^([+-]?\d+)(?:\.0*)?$/.exec(text) ?? [];
  if (digits !== undefined) return digits.length > digitsMax ? digits : String(BigInt(digits));
  if (json.kind === 'string') {
    return problem('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
  }
  const number = Number(text);
  if (Math.abs(number) >= 2 ** 63) return text;
  return Number.isInteger(number)
    ? String(BigInt(number))
    : problem('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
}

/** More than a 64-bit column holds, but few enough to parse quickly. */
const digitsMax = 40;

function keptJson<Value, Written>(jsonSchema: JsonSchema, read: (text: JsonText) => Value | Problem) {
  const schema = written<Written>()
    .transform((value, context): Value => {
      const result = value instanceof JsonText ? read(value) : missing;
      if (!(result instanceof Problem)) return result;
      report(context, result, value);
      return z.NEVER;
    })
    .meta(jsonSchema);
  kept.add(schema);
  return schema;
}

class Problem {
  readonly type: string;
  readonly message: string;
  constructor(type: string, message: string) {
    this.type = type;
    this.message = message;
  }
}

type JsonSchema = Record<string, unknown>;
const missing = new Problem('missing', 'Field required');
const noObject = new Problem('dict_type', 'Input should be a valid dictionary');

export function problem(type: string, message: string): Problem {
  return new Problem(type, message);
}

/** A leniently read input, with errors worded as Pydantic does. */
export function lax<Value, Written = Value>(
  type: string,
  read: (value: unknown) => Value | Problem,
  more: JsonSchema = {},
) {
  return written<Written>()
    .transform((value, context): Value => {
      const result = value === undefined ? missing : read(value);
      if (!(result instanceof Problem)) return result;
      report(context, result, value);
      return z.NEVER;
    })
    .meta({ type, ...more });
}

/**
 * Any input. `Written` is the type that well-behaved clients and our own responses write, which are checked against it.
 */
function written<Written>() {
  return z.unknown() as unknown as z.ZodType<Written, Written>;
}

function report(context: z.RefinementCtx, { type, message }: Problem, input: unknown): void {
  context.addIssue({ code: 'custom', message, params: { type }, input });
}
