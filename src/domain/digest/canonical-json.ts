import { compareCodePoints } from '../../util/compare-code-points.ts';
import { type JsonNumber, type JsonStyle, type LosslessJson, stringifyLossless } from '../../util/json/lossless.ts';

/**
 * The text whose hash is the digest of an object or table row: what Python prints for `json.dumps(value,
 * sort_keys=True)`. Clients compute the same text, so each byte matters: keys in code-point order, ASCII only, floats
 * as Python's `repr` writes them, so that `1` and `1.0` are different values.
 */
export function canonicalJson(tree: LosslessJson): string {
  return stringifyLossless(tree, { ...pythonStyle, compareKeys: compareCodePoints });
}

/** What Python prints for `json.dumps(value)`: as {@link canonicalJson}, with keys in their own order. */
export function pythonDumps(tree: LosslessJson): string {
  return stringifyLossless(tree, pythonStyle);
}

const pythonStyle: JsonStyle = { comma: ', ', colon: ': ', string: pythonString, number: pythonNumber };

function pythonString(value: string): string {
  return JSON.stringify(value).replace(/[^ -~]/g, hexEscape);
}

function hexEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function pythonNumber(number: JsonNumber): string {
  return number.isInteger ? pythonInteger(number.text) : pythonFloat(number.valueOf());
}

function pythonInteger(text: string): string {
  return text === '-0' ? '0' : text;
}

/** The shortest digits that round-trip, as in JavaScript; the exponent starts earlier and has at least two digits. */
function pythonFloat(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) return value.toExponential().replace(/(?<=e[+-])\d$/, '0$&');
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
