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

/** What an index tells of a payload. */
export type DocumentTerms = {
  terms: string[];
  /** The numbers at their places, numeric strings among them. */
  numbers: [place: string, value: number][];
};

/** The terms of a payload, and what its text hides from a search for words. About 10 µs for 2 kB. */
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

  /** JavaScript takes the last of the values, ClickHouse the first. */
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
/** What JavaScript and ClickHouse read as the same number. */
const numeric = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
/** What ClickHouse might read as a number. */
const almostNumeric = /^[-+]*(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d*)?|inf(?:inity)?|nan)$/i;
/** ClickHouse reads `-0` as the text `0` and `-0.0` as `-0`. */
const isNegativeZero = /^-0(?:\.0*)?(?:[eE]|$)/;

/** Numbers whose digits ClickHouse may write otherwise: those with an exponent, very small ones, very long ones. */
const mayBeWrittenAnew = /\d[eE]|[\d.]{16}|0\.000000/;

/** Whether letters, digits, or signs that have an escape of one letter, are written as `\u0041`, or as the sign of kelvin. */
function hidesLetters(text: string): boolean {
  return text.includes(kelvin) || (text.includes('\\u') && escapedLetter.test(text));
}

/** Without regard to case it is a k: the only such sign outside of ASCII. */
const kelvin = '\u212a';
const escapedLetter = /\\u(?:212a|00(?:3\d|4[1-9a-f]|5[\da]|6[1-9a-f]|7[\da]|0[89acd]))/i;
