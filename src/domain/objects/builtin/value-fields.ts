import { JsonNumber, type LosslessJson } from '../../../util/json/lossless.ts';

/** Converts objects to records, which schemas parse; numbers stay as written. */
export function toFields(value: LosslessJson): unknown {
  if (Array.isArray(value)) return value.map(toFields);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [key, toFields(member)]));
}

/** The inverse. */
export function fromFields(value: unknown): LosslessJson {
  if (Array.isArray(value)) return value.map(fromFields);
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value as LosslessJson; // a leaf
  return new Map(Object.entries(value).map(([key, member]) => [key, fromFields(member)]));
}
