import type { PayloadColumn } from '../call-field.ts';

/**
 * A term is a string for one value at one location of a call, such as `i.model=gpt-4o` or `i.temperature:0.7`. An index
 * over the terms of calls finds those with the value without reading their payloads.
 */

/** A string, or a boolean as `true` or `false`. */
export const textTerm = (place: string, text: string) => `${place}=${text}`;

/** A JSON number. */
export const numberTerm = (place: string, value: number) => `${place}:${value}`;

/** A string that parses as a number, unless {@link numberTerm} writes that number in the same way. */
export const numericTextTerm = (place: string, value: number) => `${place}~${value}`;

/** Marks a document that terms do not describe completely: its payload has to be read. */
export const unindexedTerm = (column: PayloadColumn) => `!${columnSigns[column]}`;

/** Marks a document whose letters are written as escapes: its stored text may not contain its words. */
export const hiddenLettersTerm = (column: PayloadColumn) => `?${columnSigns[column]}`;

/** The same for numbers whose text differs from their parsed value, such as `1e3`. */
export const hiddenDigitsTerm = (column: PayloadColumn) => `#${columnSigns[column]}`;

/** The root of a document. */
export const rootPlace = (column: PayloadColumn) => columnSigns[column];

/** The location of a member or element of the value at `place`. Characters with a meaning in terms are escaped. */
export function placeBelow(place: string, key: string | number): string {
  return `${place}.${typeof key === 'string' && hasSigns.test(key) ? key.replace(signs, '\\$&') : key}`;
}

/** Longer strings have no term. */
export const termTextMax = 128;

/** List elements have terms up to here: single numbers of an embedding are not searched for. */
export const termElementsMax = 32;

const columnSigns: Record<PayloadColumn, string> = { attributes: 'a', inputs: 'i', output: 'o', summary: 's' };
const hasSigns = /[.\\=:~]/;
const signs = /[.\\=:~]/g;
