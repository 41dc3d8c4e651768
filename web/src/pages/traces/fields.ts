import { nameOf, statusOf } from '../../api/call-fields.ts';
import type { Call } from '../../api/calls.ts';
import { entriesOf, isContainer, type JsonPath } from '../../components/json/json-paths.ts';
import { fieldName, valueAt } from '../../features/call/field-paths.ts';

const payloads = ['inputs', 'output', 'attributes', 'summary'] as const;
const fieldsMax = 200;

/** The places of single values in calls, those of most calls first. */
export function fieldsOf(calls: Call[]): string[] {
  const counts = new Map<string, number>();
  const visit = (value: unknown, path: JsonPath): void => {
    if (isContainer(value)) {
      if (Array.isArray(value) || path.length > 4) return;
      for (const [step, member] of entriesOf(value)) visit(member, [...path, step]);
    } else if (path.length > 1) {
      const name = fieldName(path);
      if (counts.has(name) || counts.size < fieldsMax) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };
  for (const call of calls) for (const payload of payloads) visit(call[payload], [payload]);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Values that a field has in calls, for completion. */
export function valuesOf(calls: Call[], field: string): string[] {
  if (field === 'status') return ['success', 'error', 'descendant_error', 'running'];
  const read = (call: Call): unknown => {
    if (field === 'op_name') return nameOf(call);
    if (field === 'model') return call.inputs.model;
    return field === 'summary.weave.status' ? statusOf(call) : valueAt(call, field);
  };
  const values = calls.map(read).filter((value) => value !== undefined && value !== null && !isContainer(value));
  return [...new Set(values.map((value) => String(value)))].filter((value) => value.length <= 80).slice(0, 50);
}
