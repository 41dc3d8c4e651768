import { parsePlain } from '../../util/json/parse.ts';

/**
 * How OTLP writes its kinds of fields in JSON. Names are in camel case, as the standard requires, or as in protobuf.
 */
export type Fields = Record<string, unknown>;

/** Numbers of 64 bits are read exactly: they are first put in quotes, in a form that no text in a string can have. */
export function parseExactly(json: string): Fields {
  const fields: unknown = parsePlain(json.replace(longNumber, '$1"$2"'));
  if (!isObject(fields)) throw new Error('the body is not an object');
  return fields;
}

const longNumber =
  /("(?:start_?time_?unix_?nano|end_?time_?unix_?nano|(?:observed_?)?time_?unix_?nano|int_?value)"\s*:\s*)(-?\d{16,})/gi;

export function has(fields: Fields, name: string): boolean {
  return (field(fields, name) ?? null) !== null;
}

export function string(fields: Fields, name: string): string {
  const value = field(fields, name) ?? '';
  if (typeof value !== 'string') throw new Error(`${name} is not text (found ${typeof value})`);
  return value.toWellFormed();
}

/** A number of 32 bits, or the name of an enum's value. */
export function number(fields: Fields, name: string, names: string[] = []): number {
  const value = field(fields, name) ?? 0;
  const named = names.indexOf(String(value));
  const read = named >= 0 ? named : Number(value);
  if (!Number.isInteger(read)) throw new Error(`${name} is not a whole number (found ${JSON.stringify(value)})`);
  return read;
}

export function long(fields: Fields, name: string): bigint {
  const value = field(fields, name) ?? 0;
  const text = typeof value === 'number' && Number.isInteger(value) ? String(BigInt(value)) : value;
  // Far more digits than 64 bits have, but few enough to parse quickly: values out of range are rejected span by span.
  if (typeof text === 'string' && /^\s*-?\d{1,400}\s*$/.test(text)) return BigInt(text);
  throw new Error(`${name} is not a whole number (found ${JSON.stringify(value).slice(0, 40)})`);
}

export function boolean(fields: Fields, name: string): boolean {
  const value = field(fields, name);
  if (typeof value !== 'boolean') throw new Error(`${name} is neither true nor false`);
  return value;
}

/** Also `"NaN"`, `"Infinity"` and `"-Infinity"`. */
export function double(fields: Fields, name: string): number {
  const value = Number(field(fields, name));
  if (Number.isNaN(value) && field(fields, name) !== 'NaN') throw new Error(`${name} is not a number`);
  return value;
}

/** Ids are in hex. */
export function hex(fields: Fields, name: string): Uint8Array {
  const text = string(fields, name);
  if (!/^(?:[\da-f]{2})*$/i.test(text))
    throw new Error(`${name} is not hex (found ${JSON.stringify(text.slice(0, 40))})`);
  return new Uint8Array(Buffer.from(text, 'hex'));
}

export function bytes(fields: Fields, name: string): Uint8Array {
  return new Uint8Array(Buffer.from(string(fields, name), 'base64'));
}

export function list<Value>(fields: Fields, name: string, read: (element: Fields) => Value): Value[] {
  return elements(fields, name).map((element) => {
    if (!isObject(element)) throw new Error(`${name} contains a non-object element`);
    return read(element);
  });
}

export function strings(fields: Fields, name: string): string[] {
  return elements(fields, name).map(String);
}

export function object<Value>(fields: Fields, name: string, read: (fields: Fields) => Value): Value | undefined {
  const value = field(fields, name);
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Error(`${name} is not an object`);
  return read(value);
}

function elements(fields: Fields, name: string): unknown[] {
  const value = field(fields, name) ?? [];
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value;
}

function field(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
