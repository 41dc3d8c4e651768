import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLossless } from '../../src/util/json/lossless.ts';
import { randomJson } from '../../src/util/json/random-json.ts';
import { comparable, numberOf, parseJson, writeJson } from '../../web/src/format/json.ts';

describe('JSON on the page', () => {
  test.each([
    '107505301260286111',
    '-9007199254740993',
    '1.0',
    '-0',
    '0.1000',
    '1e400',
    '1E+5',
    '12345678901234567890.12345678901234567890e-300',
    '{"a":[1.0,{"b":1e-07}],"text":"1.0, [1.00]"}',
  ])('%s keeps its digits', (text) => {
    expect(writeJson(parseJson(text))).toBe(text);
    expect(writeJson(parseJson(`[ ${text}\n, 1 ]`))).toBe(`[${text},1]`);
  });

  test('any document keeps its values', () => {
    fc.assert(
      fc.property(randomJson, ({ minified, spaced }) => {
        expect(parseLossless(writeJson(parseJson(spaced)))).toEqual(parseLossless(minified));
        expect(parseLossless(writeJson(parseJson(spaced), 2))).toEqual(parseLossless(minified));
      }),
    );
  });

  test('the numbers that JavaScript writes alike are plain numbers', () => {
    expect(parseJson('{"a": [0, -1, 0.5, 1e+21, 9007199254740991]}')).toEqual({
      a: [0, -1, 0.5, 1e21, 9007199254740991],
    });
  });

  test('any other number can be calculated with', () => {
    expect(['1.0', '1e400', '-0.50', '"1"'].map((text) => numberOf(parseJson(text)))).toEqual([
      1,
      Number.POSITIVE_INFINITY,
      -0.5,
      null,
    ]);
  });

  test('only equal values are equal', () => {
    const keys = ['1', '1.0', '1e0', '107505301260286111', '107505301260286112'].map((text) =>
      comparable(parseJson(`{"a":${text}}`)),
    );
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(3);
  });

  test('the last value of a repeated key counts, and no key reaches the prototype', () => {
    expect(parseJson('{"a":1.0,"a":2}')).toEqual({ a: 2 });
    expect(writeJson(parseJson('{"__proto__":{"x":1.0}}'))).toBe('{"__proto__":{"x":1.0}}');
    expect(() => parseJson('{"a":1.0,}')).toThrow(SyntaxError);
  });
});
