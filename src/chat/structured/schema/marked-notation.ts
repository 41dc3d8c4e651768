import { readClass } from '../character-class.ts';
import type { Range } from '../utf8-classes.ts';
import { automatonOf } from './automaton.ts';
import { choice, type Expression, ebnf, empty, rule, sequence, text } from './grammar-rules.ts';
import { anyText, bothOf, choiceOf, classOf, literal, notOf, repeatOf, sequenceOf } from './language.ts';
import type { Notation } from './notation.ts';
import { without, writePlain } from './ranges.ts';
import { punctuationOf } from './spacing.ts';
import { charactersOf, type StringSpelling } from './string-rules.ts';

/**
 * Arguments as the Gemma models write them: `{key:<|"|>text<|"|>,other:3}`. A mark encloses strings, in which every
 * character is written unchanged, so a string contains neither this mark nor the one that closes the call.
 */
export function markedNotation(quote: string, close: string): Notation {
  const strings = markedStrings(quote, close);
  const plain = (bracket: string) => `"${bracket}"`;
  return {
    punctuation: { ...punctuationOf('fixed'), comma: plain(','), colon: plain(':') },
    strings,
    key: (name) => (/^[^\s:,{}[\]<>|"]+$/.test(name) ? text(name) : strings.literal(name)),
    otherKey: (language, rules) => charactersOf(bothOf([language, bareName]), rules),
  };
}

const bareName = repeatOf(classOf(readClass('[\\w.$-]', 0).ranges), 1, null);

function markedStrings(quote: string, close: string): StringSpelling {
  const first: Range = [quote.charCodeAt(0), quote.charCodeAt(0)];
  const withoutFirst = (ranges: readonly Range[]) => without(ranges, [first]);
  return {
    rules: [
      ...anyString(quote, close),
      ['text', ebnf(`${writePlain(withoutFirst([[0, 0x10ffff]]))} text | ""`, ['text'])],
    ],
    quote,
    literal(value) {
      if (value.includes(quote) || value.includes(close)) throw new Error(`${JSON.stringify(value)} cannot be written`);
      return text(quote + value + quote);
    },
    // If characters are counted or matched against a pattern, the first character of the marks is excluded.
    characters(ranges) {
      const found = withoutFirst(ranges);
      if (found.length === 0) throw new Error(`strings with ${quote[0]} cannot be enforced while generating`);
      return ebnf(writePlain(found));
    },
    special: [first],
  };
}

/** Any string without the marks: the states of the automaton that searches for them. */
function anyString(quote: string, close: string): [string, Expression][] {
  const marks = choiceOf([literal(quote), literal(close)]);
  const states = automatonOf(notOf(sequenceOf([anyText, marks, anyText])));
  const name = (state: number) => `string_${state}`;
  return [
    ['string', sequence(text(quote), rule(name(0)), text(quote))],
    ...states.map(({ mayEnd, steps }, state): [string, Expression] => {
      const going = steps.map(({ ranges, to }) => sequence(ebnf(writePlain(ranges)), rule(name(to))));
      return [name(state), choice(mayEnd ? [...going, empty] : going)];
    }),
  ];
}
