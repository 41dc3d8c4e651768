import { expect, test } from 'vitest';
import { exactEbnf } from '../../../chat/structured/ebnf.ts';
import { exactRegex } from '../../../chat/structured/regex.ts';
import { structuredOutputs, withCodePoints } from './code-points.ts';

test.each(['[а-я]{2}', '[^a-z]', '[é-ü€]', '[\\u{1f600}-\\u{1f64f}ß]', 'x[\\u0080-\\uffff]y', '\\W\\S', 'plain[a-z]'])(
  '%s matches the same characters as before it was written as bytes',
  (pattern) => {
    const rewritten = new RegExp(`^(?:${withCodePoints(exactRegex(pattern))})$`, 'u');
    const original = new RegExp(`^(?:${pattern})$`, 'u');
    const near = [0x7f, 0x80, 0x7ff, 0x800, 0x2028, 0x430, 0x44f, 0x450, 0xe9, 0xfc, 0x20ac, 0xd7ff, 0xe000, 0xffff];
    for (const code of [...Array(0x500).keys(), ...near, 0x10000, 0x1f5ff, 0x1f600, 0x1f64f, 0x1f650, 0x10ffff]) {
      const character = String.fromCodePoint(code);
      for (const text of [character, `${character}${character}`, `x${character}y`]) {
        expect([text, rewritten.test(text)]).toEqual([text, original.test(text)]);
      }
    }
  },
);

test('classes of grammars and of structural tags become characters, other texts stay as they are', () => {
  expect(structuredOutputs({ kind: 'ebnf', grammar: exactEbnf('root ::= [а-п] "[а]"') })).toEqual({
    grammar: 'root ::= ([а-п]) "[а]"',
  });
  const tag = {
    type: 'structural_tag',
    format: { type: 'regex', pattern: exactRegex('[а-п]'), excludes: ['[\\xd0]'] },
  };
  const { structural_tag } = structuredOutputs({ kind: 'structural_tag', tag: JSON.stringify(tag) });
  expect(JSON.parse(structural_tag as string)).toEqual({
    type: 'structural_tag',
    format: { type: 'regex', pattern: '(?:[а-п])', excludes: ['[\\xd0]'] },
  });
});
