import fc from 'fast-check';
import { randomJson } from '../../util/json/random-json.ts';

/** For tests: values at and beyond the bounds of what can be stored, as the JSON text of a request. */

/** Numbers as they are written: whole and broken, small, large, and beyond every type. */
export const numberText = fc.oneof(
  fc.constantFrom('0', '-0', '1', '-1', '2.0', '0.1', '5e-324', '1e-400', '1e18', '1e30', '1e308', '1e400', '-1e400'),
  fc.constantFrom('9007199254740991', '9007199254740992', '9007199254740993', '-9007199254740993'),
  fc.constantFrom('9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616'),
  fc.constantFrom('9'.repeat(40), '9'.repeat(5000), '1.7976931348623157e308', '2.2250738585072014e-308'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

/** Texts that stores and formats like to get wrong. */
export const anyText = fc.oneof(
  fc.constantFrom('', ' ', '\0', 'a\0b', '\n', '\t', '"', "'", '\\', '\\N', '\\u0000', '{p0:String}', '%', '\u2028'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'null', 'NaN', '-1', 'é', '\u{1f600}', '\uffff', '\ufeff'),
  fc.constantFrom('x'.repeat(5000), '\u{1f600}'.repeat(3000)),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);

/** Texts with halves of surrogate pairs, which are stored as U+FFFD. */
export const textWithLoneSurrogates = fc
  .array(fc.oneof(anyText, fc.constantFrom('\ud800', '\udc00', '\ud83d')), {
    maxLength: 4,
  })
  .map((parts) => parts.join(''));

/** JSON objects as minified text, some of them wide, deep, or full of refs. */
export const objectText = fc.oneof(
  { weight: 6, arbitrary: randomJson.map(({ minified }) => `{"b":${minified}}`) },
  { weight: 2, arbitrary: numberText.map((number) => `{"b":${number},"c":[${number}]}`) },
  { weight: 1, arbitrary: anyText.map((text) => `{${JSON.stringify(text.toWellFormed())}:{"x":1}}`) },
  fc.constantFrom(
    '{}',
    `{"b":${'['.repeat(150)}${']'.repeat(150)}}`,
    `{"b":[${Array.from({ length: 2000 }, (_, i) => `"weave:///e/p/call/${i}"`).join(',')}]}`,
    `{"b":{${Array.from({ length: 2000 }, (_, i) => `"key ${i}":${i}`).join(',')}}}`,
  ),
);

const microsOfYear = (year: number) => BigInt(new Date(0).setUTCFullYear(year)) * 1000n;

/** Points in time as microseconds since 1970, of the years from 1 to 9999 and around the bounds of what is stored. */
export const microseconds = fc.oneof(
  fc.constantFrom(0n, -1n, 1n, 2n ** 53n - 1n, 2n ** 53n, 1n - 2n ** 53n, -(2n ** 53n), 253_402_300_799_999_999n),
  fc
    .constantFrom(1, 1582, 1600, 1684, 1685, 1899, 1900, 1970, 2038, 2106, 2255, 2256, 2299, 2300, 9999)
    .map(microsOfYear),
  fc.bigInt({ min: microsOfYear(1900), max: microsOfYear(2200) }),
  fc.bigInt({ min: microsOfYear(1), max: microsOfYear(9999) }),
);

/** A time in ISO 8601 with all digits of its microseconds, computed apart from the code under test. */
export function isoText(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  return `${seconds}.${String(fraction).padStart(6, '0')}Z`;
}
