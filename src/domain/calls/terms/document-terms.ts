import type { PayloadColumn } from '../call-field.ts';
import {
  hiddenDigitsTerm,
  hiddenLettersTerm,
  numberTerm,
  numericTextTerm,
  rootPlace,
  textTerm,
  unindexedTerm,
} from './terms.ts';
import { type LeafVisitor, walkLeaves } from './walk-leaves.ts';

/** What the indexes contain of a payload. */
export type DocumentTerms = {
  terms: string[];
  /** The numbers by location, including numeric strings. */
  numbers: [place: string, value: number][];
};

/** The terms of a payload, including the marks for content that a word search would miss. About 10 µs for 2 kB. */
export function documentTerms(column: PayloadColumn, text: string): DocumentTerms {
  if (text === '{}' || text === 'null') return { terms: [], numbers: [] };
  const collector = new TermCollector();
  walkLeaves(text, rootPlace(column), collector);
  const { terms, numbers } = collector.isComplete ? collector : { terms: [unindexedTerm(column)], numbers: [] };
  if (hidesLetters(text)) terms.push(hiddenLettersTerm(column));
  if (collector.hidesDigits) terms.push(hiddenDigitsTerm(column));
  return { terms, numbers };
}

class TermCollector implements LeafVisitor {
  readonly terms: string[] = [];
  readonly numbers: [place: string, value: number][] = [];
  isComplete = true;
  hidesDigits = false;

  string(place: string, value: string): void {
    this.#add(textTerm(place, value));
    if (!startsLikeNumber.test(value) || !almostNumeric.test(value)) return;
    const number = Number(value);
    if (!numeric.test(value) || !Number.isFinite(number)) this.isComplete = false;
    else this.numbers.push([place, number]);
    if (String(number) !== value) this.#add(numericTextTerm(place, number));
  }

  number(place: string, text: string): void {
    const number = Number(text);
    if (!Number.isFinite(number) || isNegativeZero.test(text)) this.isComplete = false;
    else this.numbers.push([place, number]);
    this.#add(numberTerm(place, number));
    if (mayBeWrittenAnew.test(text) && String(number) !== text) this.hidesDigits = true;
  }

  bool(place: string, value: boolean): void {
    this.#add(textTerm(place, String(value)));
  }

  /** JavaScript uses the last of the values, ClickHouse the first. */
  repeatedKey(): void {
    this.isComplete = false;
  }

  elementsLeftOut(text: string): void {
    if (mayBeWrittenAnew.test(text)) this.hidesDigits = true;
  }

  #add(term: string): void {
    if (this.terms.length === termsMax) this.isComplete = false;
    else this.terms.push(term);
  }
}

const termsMax = 500;

const startsLikeNumber = /^[-+.\diInN]/;
/** Numbers that JavaScript and ClickHouse parse to the same value. */
const numeric = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** Strings that ClickHouse might parse as a number. */
const almostNumeric = /^[-+]*(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d*)?|inf(?:inity)?|nan)$/i;
/** ClickHouse returns `-0` as the string `0` and `-0.0` as `-0`. */
const isNegativeZero = /^-0(?:\.0*)?(?:[eE]|$)/;

/** Numbers that ClickHouse may format differently: with an exponent, very small, or very long. */
const mayBeWrittenAnew = /\d[eE]|[\d.]{16}|0\.000000/;

/** Whether letters, digits, or characters with a one-letter escape are written as `\u0041`, or as the Kelvin sign. */
function hidesLetters(text: string): boolean {
  return text.includes(kelvin) || (text.includes('\\u') && escapedLetter.test(text));
}

/** In lower case it is a k: the only such character outside of ASCII. */
const kelvin = '\u212a';
const escapedLetter = /\\u(?:212a|00(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da]|0[89acd]))/i;
