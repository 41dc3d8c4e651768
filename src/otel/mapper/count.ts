import { JsonNumber } from '../../util/json/lossless.ts';
import { type Tree, wholeNumber } from '../tree.ts';

/** Whether a value is a token count: whole, not negative, and small enough to be exact. It may also be text. */
export function isCount(value: Tree): boolean {
  return isSent(value) && countOf(value) !== null;
}

/** Whether a value was sent as a token count but is invalid: -5, 1.5, NaN, 1e300, "many". */
export function isNoCount(value: Tree): boolean {
  return isSent(value) && countOf(value) === null;
}

/** The token count; null if the value is not one. */
export function countOf(value: Tree): number | null {
  const count = wholeNumber(value);
  if (count === null || count < 0 || typeof value === 'boolean') return null;
  return value instanceof JsonNumber && Number(value.text) !== count ? null : count;
}

/** Null, empty text and objects do not count as sent. */
function isSent(value: Tree): boolean {
  return value instanceof JsonNumber || (typeof value === 'string' && value.trim() !== '');
}
