import { JsonNumber } from '../../util/json/lossless.ts';
import { type Tree, wholeNumber } from '../tree.ts';

/** Whether a value is a number of tokens: whole, not negative, small enough to be exact. Text may hold one too. */
export function isCount(value: Tree): boolean {
  return isSent(value) && countOf(value) !== null;
}

/** Whether a value was sent as a number of tokens, but cannot be one: -5, 1.5, NaN, 1e300, "many". */
export function isNoCount(value: Tree): boolean {
  return isSent(value) && countOf(value) === null;
}

/** The number of tokens; null for a value that is none. */
export function countOf(value: Tree): number | null {
  const count = wholeNumber(value);
  if (count === null || count < 0 || typeof value === 'boolean') return null;
  return value instanceof JsonNumber && Number(value.text) !== count ? null : count;
}

/** Null, the empty text and objects are not counts that were sent. */
function isSent(value: Tree): boolean {
  return value instanceof JsonNumber || (typeof value === 'string' && value.trim() !== '');
}
