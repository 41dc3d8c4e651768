import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDepthError, JsonSyntaxError } from './errors.ts';
import { JsonText } from './json-text.ts';
import { JsonNumber, type LosslessJson, parseLossless } from './lossless.ts';
import { type KeepTree, parseJson, parsePlain, parseWithNumbers } from './parse.ts';
import { randomJson } from './random-json.ts';
import { toJson } from './write.ts';

const kept = (text: string) => (parseJson(text, { keep: true }) as JsonText).text;

describe('values that are not kept', () => {
  it('parse as JSON.parse does, whatever their white space', () => {
    fc.assert(
      fc.property(randomJson, ({ spaced }) => {
        expect(JSON.stringify(parseJson(spaced))).toBe(JSON.stringify(parsePlain(spaced)));
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

describe('plain values', () => {
  const keysOf = (text: string) => Object.keys(parsePlain(text) as object);

  it.each([
    [String.raw`{"a":0,"\\":0}`, String.raw`{"a":0,"\n":0}`, ['a', '\n']],
    [String.raw`{"a":0,"\\":[]}`, String.raw`{"a":0,"\u0062" : 0}`, ['a', 'b']],
    [String.raw`{"a":0,"b\\":0}`, String.raw`{"a":0,"b\"":0}`, ['a', 'b"']],
    [String.raw`{"é":0,"é\\":0}`, String.raw`{"é":0,"é\u00e9":0}`, ['é', 'éé']],
  ])('after %s, the keys of %s are %j', (before, text, keys) => {
    parsePlain(before);
    JSON.parse(before); // as libraries do
    expect(keysOf(text)).toEqual(keys);
  });

  it('are as the lossless parser reads them', () => {
    fc.assert(
      fc.property(randomJson, ({ minified, spaced }) => {
        const plain = JSON.stringify(toPlain(parseLossless(minified)));
        expect(JSON.stringify(parsePlain(spaced))).toBe(plain);
        expect(JSON.stringify(parseWithNumbers(spaced, Number))).toBe(plain);
      }),
    );
  });

  it.each(['{"\\n":1,}', '{"a":"\\q"}', '', '{"\\n":NaN}'])('%s is not JSON', (text) => {
    expect(() => parsePlain(text)).toThrow(SyntaxError);
  });

  it('give numbers beside escaped keys to the same function', () => {
    const digits = (text: string) => parseWithNumbers(text, (each) => each);
    expect(digits('{"a":1.0}')).toEqual({ a: '1.0' });
    expect(digits('{"\\n":[1.0,"2"],"b":null}')).toEqual({ '\n': ['1.0', '2'], b: null });
  });
});

it("JSON.parse is called only where no key is a client's", () => {
  const src = join(import.meta.dirname, '../..');
  const files = globSync('**/*.ts', { cwd: src, exclude: ['**/*.test.ts', '**/testing/**', 'util/json/**'] });
  const ours = [
    'cli/heddle.ts',
    'open/move/state.ts',
    'open/remembered-kinds.ts',
    'store/clickhouse/rows/line-thread.ts',
    'store/clickhouse/rows/parse-lines.ts',
    'store/data-directory.ts',
    'store/postgres/embedded/empty-cluster.ts',
    'util/workers/start-worker.ts',
  ];
  const calls = files.flatMap((file) =>
    readFileSync(join(src, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('JSON.parse(') && !/JSON\.parse\(.*\) as string\b|: string = JSON/.test(line))
      .map(() => file),
  );
  expect([...new Set(calls)].sort()).toEqual(ours);
});

function toPlain(value: LosslessJson): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, each]) => [key, toPlain(each)])) : value;
}
