import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseLossless } from '../../util/json/lossless.ts';
import { canonicalJson, pythonDumps } from './canonical-json.ts';

/** Printed by Python 3.11: `json.dumps(json.loads(text))`. */
const scalars: [string, string][] = [
  ['0', '0'],
  ['-0', '0'],
  ['1', '1'],
  ['-1', '-1'],
  ['10', '10'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  ['-99999999999999999999', '-99999999999999999999'],
  ['9007199254740993', '9007199254740993'],
  ['0.0', '0.0'],
  ['-0.0', '-0.0'],
  ['1.0', '1.0'],
  ['-1.0', '-1.0'],
  ['0.1', '0.1'],
  ['1e0', '1.0'],
  ['1E5', '100000.0'],
  ['1e5', '100000.0'],
  ['1e15', '1000000000000000.0'],
  ['1e16', '1e+16'],
  ['1e+16', '1e+16'],
  ['1e17', '1e+17'],
  ['9999999999999998.0', '9999999999999998.0'],
  ['9999999999999999.0', '1e+16'],
  ['12345678901234567.0', '1.2345678901234568e+16'],
  ['123456789012345.6', '123456789012345.6'],
  ['1e21', '1e+21'],
  ['1e22', '1e+22'],
  ['1e23', '1e+23'],
  ['1.5e300', '1.5e+300'],
  ['1e308', '1e+308'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['1e400', 'Infinity'],
  ['-1E400', '-Infinity'],
  ['5e-324', '5e-324'],
  ['4.9e-324', '5e-324'],
  ['1e-400', '0.0'],
  ['-1e-400', '-0.0'],
  ['2.2250738585072014e-308', '2.2250738585072014e-308'],
  ['0.0001', '0.0001'],
  ['0.00012', '0.00012'],
  ['0.00009999', '9.999e-05'],
  ['1e-4', '0.0001'],
  ['1e-5', '1e-05'],
  ['1.5e-7', '1.5e-07'],
  ['1e-6', '1e-06'],
  ['0.000001', '1e-06'],
  ['1e-10', '1e-10'],
  ['1e-100', '1e-100'],
  ['1.10', '1.1'],
  ['3.141592653589793', '3.141592653589793'],
  ['0.30000000000000004', '0.30000000000000004'],
  ['123456789.125', '123456789.125'],
  ['100000000000000000000.0', '1e+20'],
  ['1.0e-0', '1.0'],
  ['0e5', '0.0'],
  ['0.1e1', '1.0'],
  ['2e-7', '2e-07'],
  ['1e-07', '1e-07'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['-Infinity', '-Infinity'],
  ['[]', '[]'],
  ['{}', '{}'],
  ['[[],{}]', '[[], {}]'],
  ['null', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['""', '""'],
  ['"a/b"', '"a/b"'],
  [String.raw`"\u007f"`, String.raw`"\u007f"`],
  [String.raw`"\u0000\u001f\b\f\n\r\t"`, String.raw`"\u0000\u001f\b\f\n\r\t"`],
  [String.raw`"\u2028\u2029"`, String.raw`"\u2028\u2029"`],
  [String.raw`"\u00e9\u00c9"`, String.raw`"\u00e9\u00c9"`],
  [String.raw`"\ud83d\ude00"`, String.raw`"\ud83d\ude00"`],
  [String.raw`"\ud83d"`, String.raw`"\ud83d"`],
  [String.raw`"\ude00x"`, String.raw`"\ude00x"`],
  [String.raw`"\\\""`, String.raw`"\\\""`],
  [String.raw`"\/"`, '"/"'],
  ['"~ !"', '"~ !"'],
  [String.raw`"\u0080\u00ff\uffff"`, String.raw`"\u0080\u00ff\uffff"`],
];

/** Printed by Python 3.11, with `sort_keys=True` and without. */
const objects: [text: string, sorted: string, unsorted: string][] = [
  [
    '{"b":1,"a":2,"B":3,"10":4,"9":5,"":6}',
    '{"": 6, "10": 4, "9": 5, "B": 3, "a": 2, "b": 1}',
    '{"b": 1, "a": 2, "B": 3, "10": 4, "9": 5, "": 6}',
  ],
  [
    String.raw`{"\ue000":1,"\ud83d\ude00":2,"\uffff":3,"\ud83d\ude01":4,"\u00e9":5}`,
    String.raw`{"\u00e9": 5, "\ue000": 1, "\uffff": 3, "\ud83d\ude00": 2, "\ud83d\ude01": 4}`,
    String.raw`{"\ue000": 1, "\ud83d\ude00": 2, "\uffff": 3, "\ud83d\ude01": 4, "\u00e9": 5}`,
  ],
  ['{"a":1,"b":2,"a":{"d":1,"c":2}}', '{"a": {"c": 2, "d": 1}, "b": 2}', '{"a": {"d": 1, "c": 2}, "b": 2}'],
  ['{"__proto__":1,"constructor":2}', '{"__proto__": 1, "constructor": 2}', '{"__proto__": 1, "constructor": 2}'],
  ['{"ab":1,"a":2,"a b":3,"abc":4}', '{"a": 2, "a b": 3, "ab": 1, "abc": 4}', '{"ab": 1, "a": 2, "a b": 3, "abc": 4}'],
  ['[{"z":[{"y":1,"x":2.50}]}]', '[{"z": [{"x": 2.5, "y": 1}]}]', '[{"z": [{"y": 1, "x": 2.5}]}]'],
  [
    String.raw`{"\u0000":1,"\u0001":2,"\"":3}`,
    String.raw`{"\u0000": 1, "\u0001": 2, "\"": 3}`,
    String.raw`{"\u0000": 1, "\u0001": 2, "\"": 3}`,
  ],
];

describe('canonical JSON', () => {
  it.each(scalars)('of %s is what Python prints', (text, printed) => {
    expect(canonicalJson(parseLossless(text))).toBe(printed);
    expect(pythonDumps(parseLossless(text))).toBe(printed);
  });

  it.each(objects)('of %s has its keys in code-point order', (text, sorted, unsorted) => {
    expect(canonicalJson(parseLossless(text))).toBe(sorted);
    expect(pythonDumps(parseLossless(text))).toBe(unsorted);
  });

  it('gives every float back', () => {
    const floats = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(floats, (value) => {
        const printed = canonicalJson(parseLossless(value.toExponential()));
        expect(printed).toMatch(/[.e]/);
        expect(Object.is(Number(printed), value === 0 ? 0 : value)).toBe(true);
      }),
    );
  });

  it('is ASCII and means the same', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const printed = canonicalJson(parseLossless(text));
        expect(printed).toMatch(/^[ -~]*$/);
        expect(JSON.parse(printed)).toEqual(JSON.parse(text));
      }),
    );
  });
});
