import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonNumber, parseLossless, stringifyLossless } from './lossless.ts';
import { parseJson } from './parse.ts';
import { randomJson } from './random-json.ts';

describe('a lossless tree', () => {
  it('keeps every digit and the order of every key', () => {
    const text = '{"b":1.0,"1":100000000000000000001,"__proto__":[1E400,-0,true,null],"":"é"}';
    expect(stringifyLossless(parseLossless(text))).toBe(text);
  });

  it('prints what was read, strings in their shortest form', () => {
    fc.assert(
      fc.property(randomJson, ({ spaced, minified }) => {
        const shortest = minified.replace(/"(?:[^"\\]|\\.)*"/g, (string) => JSON.stringify(JSON.parse(string)));
        expect(stringifyLossless(parseLossless(spaced))).toBe(shortest);
      }),
    );
  });

  it('means what the plain parser reads', () => {
    fc.assert(
      fc.property(randomJson, ({ spaced }) => {
        const again = parseJson(stringifyLossless(parseLossless(spaced)));
        expect(JSON.stringify(again)).toBe(JSON.stringify(parseJson(spaced)));
      }),
    );
  });

  it('gives a repeated key its last value at its first place', () => {
    expect(stringifyLossless(parseLossless('{"a":1,"b":2,"a":3}'))).toBe('{"a":3,"b":2}');
  });

  it.each([
    ['1', true, 1],
    ['-0', true, -0],
    ['1.0', false, 1],
    ['1E2', false, 100],
    ['NaN', false, Number.NaN],
    ['-Infinity', false, Number.NEGATIVE_INFINITY],
  ])('knows of %s whether it is an integer, and its value', (text, isInteger, value) => {
    const number = parseLossless(text) as JsonNumber;
    expect(number).toBeInstanceOf(JsonNumber);
    expect([number.text, number.isInteger, Number(number)]).toEqual([text, isInteger, value]);
  });
});
