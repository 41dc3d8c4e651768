import { isLosslessNumber, isSafeNumber, isNumber as isWritten, LosslessNumber, parse, stringify } from 'lossless-json';
import { parseInOrder } from './key-order.ts';

/** Whether a value of a payload is a number, also one that JavaScript cannot keep. */
export function isNumber(value: unknown): value is number | LosslessNumber {
  return typeof value === 'number' || isLosslessNumber(value);
}

/** A number of a payload to calculate with, as close as JavaScript gets; null for all other values. */
export function numberOf(value: unknown): number | null {
  if (isLosslessNumber(value)) return Number(value.value);
  return typeof value === 'number' ? value : null;
}

/** The members of an object; none for all other values. */
export function recordOf(value: unknown): Record<string, unknown> {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumber(value);
  return isRecord ? (value as Record<string, unknown>) : {};
}

/**
 * Parses JSON without losing digits or the order of keys: a number that JavaScript would write differently, such as 107505301260286111, `1.0`
 * or `1e400`, becomes a `LosslessNumber`. All others are plain numbers. @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return parseInOrder(text, parseDigits);
}

function parseDigits(text: string): unknown {
  // The library is slower by far, and most texts do not need it.
  return hasOtherDigits(text) || hasEscapedKey(text)
    ? parse(text, null, { parseNumber, onDuplicateKey })
    : JSON.parse(text);
}

/** Writes JSON with all numbers as they were read. */
export function writeJson(value: unknown, indent?: number): string {
  return stringify(value, null, indent) ?? 'null';
}

/** A text that is equal for equal values: `1.0` is 1, while numbers that only JavaScript takes for the same are not. */
export function comparable(value: unknown): string {
  return stringify(value, null, undefined, [byValue]) ?? 'null';
}

const byValue = {
  test: (value: unknown) => isLosslessNumber(value) && isSafeNumber(value.value),
  stringify: (value: unknown) => String(numberOf(value)),
};

/** A number as it is written in JSON, or as people type it. */
export function parseNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  return String(value) === text || !isWritten(text) ? value : new LosslessNumber(text);
}

/** The last value counts, as in JavaScript and Python. */
function onDuplicateKey({ newValue }: { newValue: unknown }): unknown {
  return newValue;
}

/** JavaScript may take such a key for another one that it has read, see `parsePlain` in the server's `util/json/parse.ts`. */
function hasEscapedKey(text: string): boolean {
  return text.includes('\\') && /\\.[^"\\]*"\s*:/s.test(text);
}

/** Numbers follow the start or one of these characters. Finding more than there are, in strings, only costs time. */
const numberPattern = /(?:^|[[:,])\s*(-?\d[\d.eE+-]*)/g;

function hasOtherDigits(text: string): boolean {
  for (const [, digits = ''] of text.matchAll(numberPattern)) if (String(Number(digits)) !== digits) return true;
  return false;
}
