import { expect, test } from 'vitest';
import { constraintOf, type StructuredOutputs } from './constraint.ts';
import { exactRegex } from './regex.ts';
import { complement, type Range, utf8Sequences } from './utf8-classes.ts';

const refused = (param: string, message: RegExp) =>
  expect.objectContaining({ kind: 'invalidInput', extra: { param }, message: expect.stringMatching(message) });
const structured = (outputs: StructuredOutputs) => () => constraintOf(null, outputs);

test('rejects json_schema without a schema [chat 119]', () => {
  const format = { type: 'json_schema' as const, json_schema: { name: 'x' } };
  expect(() => constraintOf(format, null)).toThrow(refused('response_format', /schema is missing/));
});

test('rejects a constraint that constrains nothing [chat 124]', () => {
  expect(structured({ choice: [] })).toThrow(refused('structured_outputs', /no choices/));
  expect(structured({ json_object: false })).toThrow(refused('structured_outputs', /json_object/));
});

test('rejects what is too long to read quickly', () => {
  expect(structured({ regex: 'a'.repeat(40_000) })).toThrow(refused('structured_outputs', /longer than/));
  expect(structured({ grammar: `${'\n'.repeat(200_000)}a` })).toThrow(refused('structured_outputs', /longer than/));
  expect(structured({ choice: ['a'.repeat(200_000)] })).toThrow(refused('structured_outputs', /longer than/));
});

test('rejects two constraints [chat 125]', () => {
  expect(() => constraintOf({ type: 'json_object' }, { regex: 'a' })).toThrow(refused('structured_outputs', /Use one/));
});

test.each([
  ['{not json', /not JSON/],
  ['{"type":"foo"}', /unknown type "foo"/],
  ['', /empty/],
  ['[]', /must be an object/],
  ['{"type":"array","uniqueItems":true}', /uniqueItems cannot be enforced/],
  ['{"properties":{"a":{"multipleOf":2}}}', /#\/properties\/a\/multipleOf/],
  ['{"type":"string","format":"iban"}', /"iban"/],
  ['{"$ref":"https://example.com/s"}', /into the schema itself/],
  ['{"$ref":"#/$defs/none"}', /not there/],
  ['{"type":"string","pattern":"(?=a)"}', /pattern: lookaround/],
  [`${'{"items":'.repeat(2000)}{}${'}'.repeat(2000)}`, /nested more than 128 deep/],
])('rejects the schema %.40s with the reason [chat 126]', (json, message) => {
  expect(structured({ json })).toThrow(refused('structured_outputs', message));
});

test('keywords may be property names and values', () => {
  const json = '{"properties":{"not":{"const":{"multipleOf":1}},"if":{"enum":["uniqueItems"]}},"uniqueItems":false}';
  expect(structured({ json })).not.toThrow();
});

test.each([
  ['(?!a)b', /lookaround/],
  ['(?<=a)b', /lookaround/],
  ['\\bword', /word boundaries/],
  ['(a)\\1', /backreferences/],
  ['\\p{L}', /Unicode properties/],
  ['(?i)a', /flags/],
  ['a$b', /only supported at the ends/],
  ['a\0', /NUL/],
  ['[z-a]', /out of order/],
  ['[a', /not closed/],
])('rejects the regular expression %s with the reason [chat 122]', (regex, message) => {
  expect(structured({ regex })).toThrow(refused('structured_outputs', message));
});

test('rejects an empty grammar, and one without a root [chat 123]', () => {
  expect(structured({ grammar: ' ' })).toThrow(refused('structured_outputs', /empty/));
  expect(structured({ grammar: 'a ::= "b"' })).toThrow(refused('structured_outputs', /root/));
  expect(structured({ grammar: 'start: other' })).toThrow(refused('structured_outputs', /other is not defined/));
  expect(structured({ grammar: '%import common.WS\nstart: "a"' })).toThrow(refused('structured_outputs', /%import/));
});

test.each([
  ['no JSON', /not JSON/],
  ['{"type":"structural_tag"}', /format must be an object/],
  [
    '{"type":"structural_tag","structures":[{"begin":"<a>","schema":{},"end":""}],"triggers":["<b"]}',
    /"<b" begins no tag/,
  ],
  ['{"type":"structural_tag","structures":[{"begin":"<a>","schema":{"not":{}},"end":""}],"triggers":["<a"]}', /not/],
  ['{"type":"structural_tag","format":{"type":"riddle"}}', /"riddle" is not known/],
  ['{"type":"structural_tag","format":{"type":"or","elements":[]}}', /at least one member/],
])('rejects the structural tag %s with the reason [chat 133]', (structural_tag, message) => {
  expect(structured({ structural_tag })).toThrow(refused('structured_outputs', message));
});

test('rejects a whitespace_pattern that allows more than white space', () => {
  const json = '{"type":"object"}';
  expect(structured({ json, whitespace_pattern: '[ a]' })).toThrow(refused('structured_outputs', /not white space/));
  expect(structured({ json, whitespace_pattern: '( |\n)' })).toThrow(refused('structured_outputs', /one white-space/));
});

test('the bytes of a set of characters are exactly their UTF-8', () => {
  const sets: Range[][] = [
    [[0x430, 0x44f]],
    [[0x4e00, 0x9fa5]],
    [[0, 0x10ffff]],
    [[0x7f, 0x80]],
    [
      [0x7ff, 0x800],
      [0x1f600, 0x1f64f],
    ],
    complement([[0xe9, 0xe9]]),
  ];
  for (const set of sets) {
    const matches = matcherOf(utf8Sequences(set));
    for (const codePoint of samples(set)) {
      const inside = set.some(([from, to]) => codePoint >= from && codePoint <= to);
      expect(matches(codePoint), `U+${codePoint.toString(16)}`).toBe(inside);
    }
  }
});

test('treats named groups as plain ones, and drops anchors at the ends', () => {
  expect(exactRegex('^(?P<year>\\d)(?<m>x)$')).toBe('(?:[\\x30-\\x39])(?:x)');
  expect(exactRegex('a\\$')).toBe('a[\\x24]');
});

function samples(set: readonly Range[]): number[] {
  const edges = set.flatMap(([from, to]) => [from - 1, from, from + 1, to - 1, to, to + 1]);
  const fixed = [0, 0x41, 0x7f, 0x80, 0xe8, 0xe9, 0xea, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff];
  return [...edges, ...fixed].filter(
    (codePoint) => codePoint >= 0 && codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff),
  );
}

function matcherOf(sequences: readonly (readonly Range[])[]): (codePoint: number) => boolean {
  return (codePoint) => {
    const bytes = Buffer.from(String.fromCodePoint(codePoint));
    const found = sequences.filter(
      (sequence) =>
        sequence.length === bytes.length &&
        sequence.every(([from, to], index) => bytes[index]! >= from && bytes[index]! <= to),
    );
    return found.length === 1;
  };
}
