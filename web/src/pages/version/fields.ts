import type { ObjectVersion } from '../../api/objects.ts';
import { recordOf } from '../../format/json.ts';

/** Whether a version is an object of a class that SDKs know, rather than any JSON. */
export function isOfClass({ kind, val }: ObjectVersion): boolean {
  const { _class_name, _type } = recordOf(val);
  return kind !== 'op' && (typeof _class_name === 'string' || _type === 'CustomWeaveType');
}

/** The fields of an object that have a value, without those that only name its class. */
export function fieldsOf(val: unknown): [name: string, value: unknown][] {
  return Object.entries(recordOf(val)).filter(
    ([name, value]) => !classFields.has(name) && value !== null && value !== undefined && value !== '',
  );
}

const classFields = new Set(['_type', '_class_name', '_bases', 'ref', 'name']);
