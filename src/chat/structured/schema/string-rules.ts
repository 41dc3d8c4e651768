import type { Range } from '../utf8-classes.ts';
import { automatonOf } from './automaton.ts';
import { choice, type Expression, ebnf, empty, nothing, repeat, rule, sequence, text } from './grammar-rules.ts';
import {
  anyOneCharacter,
  anyText,
  bothOf,
  choiceOf,
  type Language,
  lengthsOf,
  ofLength,
  repeatOf,
  sequenceOf,
} from './language.ts';
import { isEverything, sizeOf, without, writePlain } from './ranges.ts';

/** How strings are written. */
export type StringSpelling = {
  /** The rules `string`, any string, and `text`, any characters of a string. */
  rules: [string, Expression][];
  /** The delimiters of a string. */
  quote: string;
  /** One string, with its delimiters. */
  literal(value: string): Expression;
  /** One character of a string. */
  characters(ranges: readonly Range[]): Expression;
  /** Characters that must be escaped. */
  special: readonly Range[];
};

export type Rules = { rules: Map<string, Expression>; newRule(): string; spelling: StringSpelling };

/** A string that is in all languages and has this many code points. Automata become separate rules. */
export function stringText(
  languages: readonly Language[],
  [min, max]: [number, number | null],
  rules: Rules,
): Expression {
  const language = bothOf(languages);
  if (language === anyText && min === 0 && max === null) return rule('string');
  if (max !== null && max < min) return nothing;
  const limited = withLength(language, min, max);
  const [one, ...others] = limited;
  if (others.length === 0) return quoted(charactersOf(one!, rules), rules);
  try {
    return quoted(charactersOf(bothOf(limited), rules), rules);
  } catch (error) {
    // Using shorter parts than necessary is a simple way to stay below the length.
    const shortened = max === null || lengthsOf(language)[0] < min ? null : within(language, max);
    if (shortened === null) throw error;
    return quoted(charactersOf(shortened, rules), rules);
  }
}

function quoted(inner: Expression, { spelling }: Rules): Expression {
  return sequence(text(spelling.quote), inner, text(spelling.quote));
}

/** The characters of the strings of a language, without delimiters. */
export function charactersOf(language: Language, rules: Rules): Expression {
  if (!isCombined(language)) return written(language, rules);
  const states = automatonOf(language);
  const names = states.map(rules.newRule);
  for (const [index, { mayEnd, steps, language: state }] of states.entries()) {
    const going = steps.map(({ ranges, to }) => sequence(rules.spelling.characters(ranges), rule(names[to]!)));
    const all = state === anyText ? rule('text') : choice(mayEnd ? [...going, empty] : going);
    rules.rules.set(names[index]!, all);
  }
  return rule(names[0]!);
}

/**
 * Strings of a language without automata, with at most this many code points, which its parts share. Null if it has an
 * automaton.
 */
function within(language: Language, max: number): Language | null {
  const [least, most] = lengthsOf(language);
  if (least > max || isCombined(language)) return null;
  if (most !== null && most <= max) return language;
  switch (language.kind) {
    case 'sequence': {
      const varying = language.parts.filter((part) => lengthsOf(part)[0] !== lengthsOf(part)[1]).length;
      const share = Math.floor((max - least) / varying);
      const parts = language.parts.map((part) => within(part, lengthsOf(part)[0] + share));
      return parts.includes(null) ? null : sequenceOf(parts as Language[]);
    }
    case 'choice': {
      const options = language.options.flatMap((option) => within(option, max) ?? []);
      return options.length === 0 ? null : choiceOf(options);
    }
    case 'repeat': {
      const [shortest, longest] = lengthsOf(language.body);
      const length = Math.max(shortest, Math.floor(Math.sqrt(max)));
      const each = within(language.body, Math.max(1, Math.min(length, longest ?? length)));
      if (each === null) return null;
      const count = Math.floor(max / Math.max(1, lengthsOf(each)[1]!));
      return count < language.min ? null : repeatOf(each, language.min, Math.min(count, language.max ?? count));
    }
    case 'not':
      return ofLength(0, max);
    default:
      return null;
  }
}

/** A language limited to strings of some lengths: by its own counts if it has them. */
function withLength(language: Language, min: number, max: number | null): Language[] {
  const [least, most] = lengthsOf(language);
  const isShortEnough = max === null || (most !== null && most <= max);
  if (!isCombined(language) && least >= min && isShortEnough) return [language];
  if (language === anyText) return [ofLength(min, max)];
  const counted = countedAnew(language, min, max);
  return counted ? [counted] : [language, ofLength(min, max)];
}

/** For parts of fixed lengths and one repeated class: the remaining length is the count of the class. */
function countedAnew(language: Language, min: number, max: number | null): Language | null {
  const parts = language.kind === 'sequence' ? language.parts : [language];
  const [one, ...others] = parts.filter((part) => {
    const [least, most] = lengthsOf(part);
    return least !== most;
  });
  if (others.length > 0 || parts.some(isCombined)) return null;
  const repeated = one === anyText ? repeatOf(anyOneCharacter, 0, null) : one;
  if (repeated?.kind !== 'repeat' || repeated.body.kind !== 'class') return null;
  const fixed = parts.reduce((sum, part) => sum + (part === one ? 0 : lengthsOf(part)[0]), 0);
  const from = Math.max(repeated.min, min - fixed);
  const to = max === null ? repeated.max : Math.min(repeated.max ?? Number.POSITIVE_INFINITY, max - fixed);
  if (to !== null && to < from) return null;
  return sequenceOf(parts.map((part) => (part === one ? repeatOf(repeated.body, from, to) : part)));
}

/** Only an automaton can decide what is in it. */
function isCombined(language: Language): boolean {
  switch (language.kind) {
    case 'class':
      return false;
    case 'sequence':
      return language.parts.some(isCombined);
    case 'choice':
      return language.options.some(isCombined);
    case 'repeat':
      return isCombined(language.body);
    case 'not':
      return language !== anyText;
    default:
      return true;
  }
}

function written(language: Language, rules: Rules): Expression {
  switch (language.kind) {
    case 'class':
      return rules.spelling.characters(language.ranges);
    case 'sequence':
      return sequence(...language.parts.map((part) => written(part, rules)));
    case 'choice':
      return choice(language.options.map((option) => written(option, rules)));
    case 'repeat':
      return repeated(language, rules);
    default:
      return rule('text');
  }
}

/**
 * The library decides quickly about tokens of many characters if these are one class, or one rule that repeats itself.
 * Escaped characters are neither, so long counted repetitions leave them out.
 */
function repeated({ body: each, min, max }: Language & { kind: 'repeat' }, rules: Rules): Expression {
  if (each.kind !== 'class') return repeat(written(each, rules), min, max);
  const { characters, special } = rules.spelling;
  const plain = without(each.ranges, special);
  if (sizeOf(plain) === sizeOf(each.ranges) || plain.length === 0) return repeat(characters(each.ranges), min, max);
  if (max !== null && max < longMin) return repeat(characters(each.ranges), min, max);
  if (max !== null) return repeat(ebnf(writePlain(plain)), min, max);
  const counted =
    min === 0 ? empty : repeat(min < longMin ? characters(each.ranges) : ebnf(writePlain(plain)), min, min);
  if (isEverything(each.ranges)) return sequence(counted, rule('text'));
  const name = rules.newRule();
  rules.rules.set(name, choice([sequence(characters(each.ranges), rule(name)), empty]));
  return sequence(counted, rule(name));
}

const longMin = 8;
