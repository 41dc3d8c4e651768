import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDepthError, JsonSyntaxError } from './errors.ts';
import { JsonText } from './json-text.ts';
import { parseLossless } from './lossless.ts';
import { type KeepTree, parseJson } from './parse.ts';
import { randomJson } from './random-json.ts';
import { toJson } from './write.ts';

const kept = (text: string) => (parseJson(text, { keep: true }) as JsonText).text;

describe('values that are not kept', () => {
  it('parse as JSON.parse does, whatever their white space', () => {
    fc.assert(
      fc.property(randomJson, ({ spaced }) => {
        expect(JSON.stringify(parseJson(spaced))).toBe(JSON.stringify(JSON.parse(spaced)));
      }),
    );
  });

  it('hold __proto__ as a key of their own', () => {
    const value = parseJson('{"__proto__":{"admin":true}}') as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(value.admin).toBeUndefined();
  });

  it.each([
    ['{"a":1,"a":2}', { a: 2 }],
    ['[NaN,Infinity,-Infinity]', [null, null, null]],
    ['"\\ud83d"', '\ufffd'],
    ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
    ['"\ud83d"', '\ufffd'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\\\ud83d"', '\\ud83d'],
    ['{"\\ud800":1}', { '\ufffd': 1 }],
    ['-0', -0],
    ['1e400', Number.POSITIVE_INFINITY],
  ])('%s gives %o', (text, value) => expect(parseJson(text)).toEqual(value));
});

it('numbers keep their digits where that is asked for', () => {
  fc.assert(
    fc.property(randomJson, ({ spaced }) => {
      const written = toJson(parseJson(spaced, { keepsDigits: true }));
      expect(parseLossless(written)).toEqual(parseLossless(spaced));
    }),
  );
  expect(parseJson('[1, 1.0, 107505301260286111]', { keepsDigits: true })).toEqual([
    1,
    new JsonText('1.0'),
    new JsonText('107505301260286111'),
  ]);
});

describe('kept values', () => {
  it('come back as sent, minified', () => {
    fc.assert(fc.property(randomJson, ({ minified, spaced }) => void expect(kept(spaced)).toBe(minified)));
  });

  it.each([
    ['[1, 1.0, 1E+2, -0, 123456789012345678901234567890]', '[1,1.0,1E+2,-0,123456789012345678901234567890]'],
    ['{"b":1,"1":2,"__proto__":null,"b":3}', '{"b":1,"1":2,"__proto__":null,"b":3}'],
    ['["\\/", "\\u00E9", "é", "\u2028"]', '["\\/","\\u00E9","é","\u2028"]'],
    ['[NaN, Infinity, -Infinity]', '["NaN","Infinity","-Infinity"]'],
    ['"NaN"', '"NaN"'],
    ['["\\ud83d", "\\ud83d\\ude00", "\\\\ud83d", "\ud83d"]', '["\\ufffd","\\ud83d\\ude00","\\\\ud83d","\ufffd"]'],
    [' { } ', '{}'],
    ['[ [ ] ]', '[[]]'],
    ['null', 'null'],
  ])('%s stays %s', (text, expected) => expect(kept(text)).toBe(expected));

  it.each<[string, KeepTree, string]>([
    [
      '{"batch":[{"in":{"a": 1.0},"n":1.0}]}',
      { batch: { '*': { in: true } } },
      '{"batch":[{"in":"{\\"a\\":1.0}","n":1}]}',
    ],
    ['{"a":1.0,"b":2.0}', { '*': true, b: { c: true } }, '{"a":"1.0","b":2}'],
    ['{"constructor":1.0,"a":null}', { a: true }, '{"constructor":1,"a":"null"}'],
    ['{"a":{"__proto__":1.0}}', { a: { '*': true } }, '{"a":{"__proto__":"1.0"}}'],
    ['{"a":[1.0]}', { a: { x: true } }, '{"a":[1]}'],
  ])('%s with %o keeps what the tree marks', (text, keep, expected) => {
    const asText = (_: string, value: unknown) => (value instanceof JsonText ? value.text : value);
    expect(JSON.stringify(parseJson(text, { keep }), asText)).toBe(expected);
  });

  it('know their kind', () => {
    const texts = ['{}', '[]', '"x"', '-1', '0', 'true', 'false', 'null', 'NaN'];
    const kinds = texts.map((text) => (parseJson(text, { keep: true }) as JsonText).kind);
    expect(kinds).toEqual(['object', 'array', 'string', 'number', 'number', 'boolean', 'boolean', 'null', 'string']);
  });
});

const broken = [
  ...[
    '',
    ' ',
    '{',
    '[',
    '[1',
    '[1,',
    '[1,]',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    "{'a':1}",
    '{1:1}',
    '[1 2]',
  ],
  ...[
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '-',
    '0x1',
    'nul',
    'True',
    'undefined',
    'NaNa',
    '--Infinity',
    '1 1',
    '[]]',
    '}',
    '[}',
    '{]',
  ],
  ...[
    '"',
    '"\\"',
    '"\\x"',
    '"\\u12"',
    '"\\u12g4"',
    '"\n"',
    '"\t"',
    '"\u0000"',
    '"a',
    '\ufeff1',
    '\u00a01',
    '"\\ud8"',
    '["\\ud8","b"]',
  ],
  ...['/*a*/1', '1//', '"\\', '"\\u', '\\u0031', '\ud83d', '{"a":1"b":2}', '["a""b"]'],
];

describe.each<[string, KeepTree | undefined]>([
  ['parsed', undefined],
  ['kept', true],
])('broken text, %s,', (_, keep) => {
  it.each(broken)('%j is a syntax error', (text) => {
    expect(() => parseJson(text, { keep })).toThrow(JsonSyntaxError);
  });

  it('is refused wherever JSON.parse refuses it', () => {
    const mutated = fc.tuple(randomJson, fc.nat(), fc.constantFrom('', '"', '\\', '{', ']', ',', '1', 'e', '\n', 'u'));
    fc.assert(
      fc.property(mutated, ([{ spaced }, at, put]) => {
        const text = spaced.slice(0, at % (spaced.length + 1)) + put + spaced.slice((at % (spaced.length + 1)) + 1);
        expect(accepts(() => parseJson(text, { keep }))).toBe(accepts(() => JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is refused with its position and what was expected', () => {
    expect(() => parseJson('{"a": 1 "b": 2}', { keep })).toThrow('Expected a comma or "}" at 8 but found "\\"".');
    expect(() => parseJson('[1, ', { keep })).toThrow('Expected a value at 4 but found the end.');
  });

  it('may nest to the limit and no further', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(() => parseJson(nested(200), { keep })).not.toThrow();
    expect(() => parseJson(nested(201), { keep })).toThrow(JsonDepthError);
    expect(() => parseJson('[{"a":'.repeat(1e6), { keep })).toThrow(JsonDepthError);
    expect(() => parseJson('[[[]]]', { keep, depthMax: 2 })).toThrow(JsonDepthError);
    expect(() => parseJson(`[${'[[]],'.repeat(300)}[]]`, { keep, depthMax: 3 })).not.toThrow();
  });
});

function accepts(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonSyntaxError) return false;
    throw error;
  }
}
