import { invalidInput } from '../../util/failures.ts';
import type { LosslessJson } from '../../util/json/lossless.ts';

/** The classes of a value; null if it has none. */
export type ObjectClasses = { base: string | null; leaf: string | null };

export const untyped: ObjectClasses = { base: null, leaf: null };

/**
 * Reads the classes of a value that the SDK serialized from an instance: `_bases` names the ancestors, nearest first,
 * and ends with `Object` or `BaseObject` and `BaseModel`. Null for any other value.
 */
export function classesOf(value: LosslessJson): ObjectClasses | null {
  const bases = value instanceof Map ? value.get('_bases') : undefined;
  if (!(value instanceof Map) || !Array.isArray(bases)) return null;
  const [base, root, last] = [bases.at(-3), bases.at(-2), bases.at(-1)];
  if (last !== 'BaseModel' || (root !== 'Object' && root !== 'BaseObject')) return null;
  const leaf = value.get('_class_name');
  if (typeof leaf !== 'string') throw invalidInput('A value with `_bases` must name its class in `_class_name`.');
  return { base: typeof base === 'string' ? base : leaf, leaf };
}

/** An op is stored code, marked by `weave_type` or, in older values, `_type`. */
export function kindOf(value: LosslessJson): 'object' | 'op' {
  if (!(value instanceof Map) || !value.has('_type')) return 'object';
  const type = value.get('weave_type');
  if (type === undefined) return value.get('_type') === 'Op' ? 'op' : 'object';
  return type instanceof Map && type.get('type') === 'Op' ? 'op' : 'object';
}
