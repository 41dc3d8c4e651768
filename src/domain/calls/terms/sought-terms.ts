import type { PathStep } from '../../query/field-path.ts';
import type { Literal } from '../../query/operation.ts';
import type { PayloadColumn } from '../call-field.ts';
import { numberTerm, numericTextTerm, placeBelow, rootPlace, termElementsMax, termTextMax, textTerm } from './terms.ts';

/** A document has one of these terms if the value at a location equals the given one. */
export type SoughtTerms = {
  terms: string[];
  /** Whether having one of them is a match; otherwise the document has to be read. */
  isEnough: boolean;
};

/** The location of a path, null if documents have no terms for it. */
export function placeOf(column: PayloadColumn, path: PathStep[]): string | null {
  let place = rootPlace(column);
  for (const { key, index } of path) {
    // `007` would be element 7 of a list, but a different key in an object.
    if (index !== null && (index >= termElementsMax || key !== String(index))) return null;
    place = placeBelow(place, key);
  }
  return place;
}

/** The terms to search for when a location is compared with one of these literals; null if terms cannot answer it. */
export function soughtTerms(place: string, literals: Literal[]): SoughtTerms | null {
  const sought = literals.map((literal) => soughtTermsOf(place, literal));
  if (!sought.every((each) => each !== null)) return null;
  return { terms: sought.flatMap(({ terms }) => terms), isEnough: sought.every(({ isEnough }) => isEnough) };
}

function soughtTermsOf(place: string, literal: Literal): SoughtTerms | null {
  switch (literal.type) {
    case 'string':
      return textTerms(place, literal.value);
    case 'int':
      return numberTerms(place, Number(literal.value), Number.isSafeInteger(Number(literal.value)));
    case 'float':
      return numberTerms(place, literal.value, Number.isFinite(literal.value));
    case 'bool': {
      const asNumber = Number(literal.value); // numbers and numeric strings match too, but not the string `1.0`
      const terms = [textTerm(place, String(literal.value)), ...numberTerms(place, asNumber, true)!.terms];
      return { terms, isEnough: false };
    }
    case 'null':
      return null;
    default:
      return literal satisfies never;
  }
}

/** A string also equals a number that has this string as its text. */
function textTerms(place: string, text: string): SoughtTerms | null {
  const isContainer = text.startsWith('{') || text.startsWith('[');
  if (text === '' || text.length > termTextMax || isContainer) return null;
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) return { terms: [textTerm(place, text)], isEnough: true };
  const isAsRead = String(number) === text && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isAsRead ? { terms: [textTerm(place, text), numberTerm(place, number)], isEnough: true } : null;
}

/** A numeric string also equals the number it parses to. */
function numberTerms(place: string, value: number, isExact: boolean): SoughtTerms | null {
  if (!isExact) return null;
  const terms = [numberTerm(place, value), textTerm(place, String(value)), numericTextTerm(place, value)];
  return { terms, isEnough: true };
}
