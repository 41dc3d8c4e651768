import { parsePlain } from '../../util/json/parse.ts';
import { isTruthy, type Tree } from '../tree.ts';
import { attribute, type Source } from './convention.ts';

/**
 * Attributes that may be text written as JSON, `"\"CHAT_MODEL\""`: returns the text without quotes, and other values
 * unchanged.
 */
export function unquoted(...keys: string[]): Source[] {
  return keys.map((key) => {
    const { read, ...place } = attribute(key);
    return { ...place, read: (span) => unquote(read(span)) };
  });
}

/** Text written as JSON, without its quotes; other values unchanged. */
export function unquote(value: Tree | undefined): Tree | undefined {
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, unquote(member) ?? null]));
  if (typeof value !== 'string' || !isTruthy(value) || !value.startsWith('"')) return value;
  try {
    const text: unknown = parsePlain(value);
    return typeof text === 'string' ? text : value;
  } catch {
    return value;
  }
}
