import type { PayloadColumn } from '../call-field.ts';

/**
 * A term is a text for one value at one place of a call, such as `i.model=gpt-4o` or `i.temperature:0.7`. An index over
 * the terms of calls finds those that hold the value, with no look into their payloads.
 */

/** A string, or a truth value as the word for it. */
export const textTerm = (place: string, text: string) => `${place}=${text}`;

/** A JSON number. */
export const numberTerm = (place: string, value: number) => `${place}:${value}`;

/** A string that is read as a number, where it is not written as {@link numberTerm} writes that number. */
export const numericTextTerm = (place: string, value: number) => `${place}~${value}`;

/** Stands for all terms of a document that terms cannot tell: it has to be looked into. */
export const unindexedTerm = (column: PayloadColumn) => `!${columnSigns[column]}`;

/** Says that letters of a document are written as escapes: the text it is stored as need not hold its words. */
export const hiddenLettersTerm = (column: PayloadColumn) => `?${columnSigns[column]}`;

/** The same of numbers that are not written as they are read, such as `1e3`. */
export const hiddenDigitsTerm = (column: PayloadColumn) => `#${columnSigns[column]}`;

/** Where a document begins. */
export const rootPlace = (column: PayloadColumn) => columnSigns[column];

/** The place of a member or an element of what lies at `place`. Signs that mean something in a term are escaped. */
export function placeBelow(place: string, key: string | number): string {
  return `${place}.${typeof key === 'string' && hasSigns.test(key) ? key.replace(signs, '\\$&') : key}`;
}

/** Longer strings have no term. */
export const termTextMax = 128;

/** Elements of a list have terms up to here: nobody looks up the numbers of an embedding one by one. */
export const termElementsMax = 32;

const columnSigns: Record<PayloadColumn, string> = { attributes: 'a', inputs: 'i', output: 'o', summary: 's' };
const hasSigns = /[.\\=:~]/;
const signs = /[.\\=:~]/g;
