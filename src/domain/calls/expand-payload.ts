import type { LosslessJson } from '../../util/json/lossless.ts';
import type { PathStep } from '../query/field-path.ts';

/** A JSON value that can be replaced in place. */
export type Slot = { value: LosslessJson; replace(value: LosslessJson): void };

/** The location of a path inside a value, null if the value does not have it. */
export function findSlot(root: Slot, path: PathStep[]): Slot | null {
  return path.reduce<Slot | null>((slot, step) => slot && slotBelow(slot.value, step), root);
}

/**
 * What replaces a ref in the response: an object also names the ref it came from, any other value simply replaces the
 * ref.
 */
export function withRef(value: LosslessJson, ref: string): LosslessJson {
  if (!(value instanceof Map) || value.has('_ref')) return value;
  return new Map([...value, ['_ref', ref]]);
}

function slotBelow(container: LosslessJson, { key, index }: PathStep): Slot | null {
  if (container instanceof Map) {
    const value = container.get(key);
    return value === undefined ? null : { value, replace: (other) => container.set(key, other) };
  }
  if (!Array.isArray(container) || index === null) return null;
  const value = container[index];
  return value === undefined ? null : { value, replace: (other) => (container[index] = other) };
}
