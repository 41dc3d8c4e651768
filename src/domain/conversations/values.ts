import { type LosslessJson, type LosslessObject, parseLossless, stringifyLossless } from '../../util/json/lossless.ts';

/** The value; JSON in a string is parsed if it is an object or a list. */
export function opened(value: LosslessJson | undefined): LosslessJson | undefined {
  if (typeof value !== 'string' || !/^\s*(?:\{[\s\S]*\}|\[[\s\S]*\])\s*$/.test(value)) return value;
  try {
    return parseLossless(value);
  } catch {
    return value;
  }
}

/** An object, also if it is written as JSON in a string. */
export function objectOf(value: LosslessJson | undefined): LosslessObject | null {
  const object = opened(value);
  return object instanceof Map ? object : null;
}

export function listOf(value: LosslessJson | undefined): LosslessJson[] | null {
  const list = opened(value);
  return Array.isArray(list) ? list : null;
}

/** The first of these members that is there and not null. */
export function memberOf(object: LosslessObject | null, ...names: string[]): LosslessJson | undefined {
  for (const name of names) {
    const value = object?.get(name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** The first of these members that is a text with something in it. */
export function textAt(object: LosslessObject | null, ...names: string[]): string | null {
  const found = names.map((name) => object?.get(name)).find((value) => typeof value === 'string' && value !== '');
  return (found as string | undefined) ?? null;
}

/** Strings as they are, everything else as JSON. */
export function written(value: LosslessJson): string {
  return typeof value === 'string' ? value : stringifyLossless(value);
}

/** A string that libraries wrote as JSON once more: `"\"sunny\""`. */
export function unquoted(text: string): string {
  if (!/^"[\s\S]*"$/.test(text)) return text;
  try {
    const inner = parseLossless(text);
    return typeof inner === 'string' ? inner : text;
  } catch {
    return text;
  }
}
