import { JsonNumber, type LosslessJson, parseLossless } from '../../util/json/lossless.ts';

export type PayloadPath = { json_path: string; value_type: ValueType };
type ValueType = 'numeric' | 'boolean' | 'categorical';

/** A path of keys that can be requested: letters, digits, underscores and spaces between dots. */
export const askablePath = /^[a-zA-Z0-9_. ]+$/;

/**
 * The types of values in payloads, by path, sorted. Scalars in a list count under the list's path; deeper ones do not.
 */
export function payloadPaths(payloads: Iterable<string>): PayloadPath[] {
  const kinds = new Map<string, Set<LeafKind>>();
  const note = (path: string, value: LosslessJson) => {
    if (!askablePath.test(path)) return;
    kinds.set(path, (kinds.get(path) ?? new Set()).add(kindOf(value)));
  };
  for (const payload of payloads) walk(parseLossless(payload), '', note);
  const found = [...kinds].map(([json_path, seen]) => ({ json_path, value_type: typeOf(seen) }));
  return found.sort((a, b) => (a.json_path < b.json_path ? -1 : 1));
}

type LeafKind = 'null' | 'boolean' | 'number' | 'other';

function walk(value: LosslessJson, path: string, note: (path: string, value: LosslessJson) => void): void {
  if (value instanceof Map) {
    for (const [key, member] of value) {
      if (key.trim() !== '' && !key.includes('.')) walk(member, path === '' ? key : `${path}.${key}`, note);
    }
  } else if (Array.isArray(value)) {
    for (const element of value) if (!(element instanceof Map || Array.isArray(element))) note(path, element);
  } else {
    note(path, value);
  }
}

function kindOf(value: LosslessJson): LeafKind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  return value instanceof JsonNumber ? 'number' : 'other';
}

function typeOf(seen: Set<LeafKind>): ValueType {
  const holdsOnly = (kind: LeafKind) => [...seen].every((each) => each === kind || each === 'null');
  if (holdsOnly('boolean')) return 'boolean';
  return holdsOnly('number') ? 'numeric' : 'categorical';
}
