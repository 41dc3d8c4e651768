import type { Range } from '../utf8-classes.ts';
import { choice, type Expression, ebnf, text } from './grammar-rules.ts';
import { has, isEverything, without, writePlain } from './ranges.ts';
import type { StringSpelling } from './string-rules.ts';

const hex = '[0-9A-Fa-f]';
/** One code point after a backslash, without lone surrogates, which are not text. */
const unicodeEscape = `"u" ([0-9A-CEFa-cef] ${hex} ${hex} ${hex} | [Dd] [0-7] ${hex} ${hex})`;
const anyCharacter = ebnf(`([^\\x00-\\x1f"\\\\] | "\\\\" (["\\\\/bfnrt] | ${unicodeEscape}))`);

/** The lookahead lets the library decide more tokens in advance. */
const rules: [string, Expression][] = [
  ['string', ebnf('"\\"" string_rest', ['string_rest'])],
  [
    'string_rest',
    ebnf(`("\\"" | [^\\x00-\\x1f"\\\\] string_rest | "\\\\" string_escape string_rest) (= [ \\n\\t]* [,}\\]:])`, [
      'string_escape',
    ]),
  ],
  ['text', ebnf(`[^\\x00-\\x1f"\\\\] text | "\\\\" string_escape text | ""`, ['string_escape'])],
  [
    'string_escape',
    ebnf(`["\\\\/bfnrt] | ${unicodeEscape} | "u" [Dd] [89ABab] ${hex} ${hex} "\\\\u" [Dd] [C-Fc-f] ${hex} ${hex}`),
  ],
];

/** Each code point has one spelling, so that a language stays the same in JSON. */
function characters(ranges: readonly Range[]): Expression {
  if (isEverything(ranges)) return anyCharacter;
  const options: Expression[] = [];
  const plain = without(ranges, escaped);
  if (plain.length > 0) options.push(ebnf(writePlain(plain)));
  const hasControls = without(controls, ranges).length === 0;
  if (hasControls) options.push(ebnf(`"\\\\" ([bfnrt] | "u00" [01] ${hex})`));
  for (const [from, to] of hasControls ? signs : escaped) {
    for (let code = from; code <= to; code++) {
      if (!has(ranges, code)) continue;
      options.push(text(JSON.stringify(String.fromCharCode(code)).slice(1, -1)));
    }
  }
  return choice(options);
}

/** Characters that JSON escapes with a backslash. */
const controls: Range[] = [[0, 0x1f]];
const signs: Range[] = [
  [0x22, 0x22],
  [0x5c, 0x5c],
];
const escaped: Range[] = [...controls, ...signs];

/** Strings of JSON. */
export const jsonStrings: StringSpelling = {
  rules,
  quote: '"',
  literal: (value) => text(JSON.stringify(value)),
  characters,
  special: escaped,
};
