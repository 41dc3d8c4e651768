import { JsonNumber, type LosslessJson } from '../../util/json/lossless.ts';
import { canonicalJson } from '../digest/canonical-json.ts';
import { textDigest } from '../digest/digest.ts';

/** A value as stored. Its text is ASCII, so its length is its size in bytes. */
export type StoredValue = { digest: string; text: string };

/**
 * The digest is computed from Python's text, in which 1E400 is `Infinity`; JSON cannot represent it, so it is stored as
 * that text.
 */
export function toStoredValue(value: LosslessJson): StoredValue {
  const text = canonicalJson(value);
  const digest = textDigest(text);
  return { digest, text: text.includes('Infinity') ? canonicalJson(withoutInfinities(value)) : text };
}

function withoutInfinities(value: LosslessJson): LosslessJson {
  if (value instanceof JsonNumber) {
    const isWritten = value.isInteger || Number.isFinite(value.valueOf());
    return isWritten ? value : String(value.valueOf());
  }
  if (Array.isArray(value)) return value.map(withoutInfinities);
  if (value instanceof Map) return new Map([...value].map(([key, member]) => [key, withoutInfinities(member)]));
  return value;
}
