import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseLossless, stringifyLossless } from '../../src/util/json/lossless.ts';
import { randomJson } from '../../src/util/json/random-json.ts';
import { comparable, numberOf, parseJson, writeJson } from '../../web/src/format/json.ts';
import { recordOfEntries } from '../../web/src/format/key-order.ts';

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

  test('any document keeps its values and the order of its keys', () => {
    const inOneForm = (text: string) => stringifyLossless(parseLossless(text));
    fc.assert(
      fc.property(randomJson, ({ minified, spaced }) => {
        expect(inOneForm(writeJson(parseJson(spaced)))).toBe(inOneForm(minified));
        expect(inOneForm(writeJson(parseJson(spaced), 2))).toBe(inOneForm(minified));
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

  test.each([
    '{"b":1,"10":2,"2":3}',
    '{"b":1,"10":2.0,"2":{"z":[{"x":0,"1":1}],"0":107505301260286111}}',
    '{"2":1,"b":2,"1":"\\"3\\": 4","\uE000":5,"\uE0001":6,"":7}',
    '{"2":1,"1":"{\\"9\\":\\\\","__proto__":{"4":1,"3":2},"constructor":1,"toJSON":1}',
  ])('%s keeps the order of its keys', (text) => {
    const value = parseJson(text) as Record<string, unknown>;
    expect(writeJson(value)).toBe(text);
    expect(writeJson(parseJson(writeJson([value], 2)))).toBe(`[${text}]`);
    expect(JSON.stringify(Object.keys(value))).toBe(
      JSON.stringify([...(parseLossless(text) as Map<string, unknown>).keys()]),
    );
    expect(writeJson(recordOfEntries(Object.entries(value)))).toBe(text);
  });

  test('a key that is written with escapes is the same key, and errors name their place', () => {
    expect(writeJson(parseJson(String.raw`{"b":1,"\u0032":2,"\u0031":3,"2":4}`))).toBe('{"b":1,"2":4,"1":3}');
    expect(() => parseJson('{"b":1,"2":}')).toThrow('"{"b":1,"2":}" is not valid JSON');
  });

  test('a key that is written with escapes is not taken for one that was read before', () => {
    parseJson(String.raw`{"a":0,"\\":0}`);
    expect(writeJson(parseJson(String.raw`{"a":0,"\n":0}`))).toBe(String.raw`{"a":0,"\n":0}`);
  });

  test('the last value of a repeated key counts, and no key reaches the prototype', () => {
    expect(parseJson('{"a":1.0,"a":2}')).toEqual({ a: 2 });
    expect(writeJson(parseJson('{"__proto__":{"x":1.0}}'))).toBe('{"__proto__":{"x":1.0}}');
    expect(() => parseJson('{"a":1.0,}')).toThrow(SyntaxError);
  });
});
