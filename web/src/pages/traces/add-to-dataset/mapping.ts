import type { Call } from '../../../api/calls.ts';
import { callRef, sourceField } from '../../../api/datasets.ts';
import { valueAt } from '../../../components/json/field-paths.ts';
import { recordOf } from '../../../format/call.ts';
import { recordOfEntries } from '../../../format/key-order.ts';

/** A column of a dataset, and the field of a call that fills it; an empty field leaves the column out. */
export type MappedColumn = { name: string; field: string };

/** Columns for a new dataset: each input, and the output. */
export function columnsOfCalls(calls: Call[]): MappedColumn[] {
  const inputs = [...new Set(calls.flatMap(({ inputs }) => Object.keys(inputs)))];
  const taken = inputs.filter((name) => name !== 'self').slice(0, 30);
  return [
    ...taken.map((name) => ({ name, field: `inputs.${escaped(name)}` })),
    { name: taken.includes('output') ? 'call_output' : 'output', field: 'output' },
  ];
}

/** The columns of a dataset with the fields that fill them, where names say so. */
export function columnsOfDataset(names: string[], fields: string[]): MappedColumn[] {
  return names
    .filter((name) => name !== sourceField)
    .map((name) => {
      const same = fields.find((field) => field === `inputs.${escaped(name)}` || field === name);
      const isAnswer = /^(output|expected|answer|expected_output|target)$/.test(name);
      const nested = fields.find((field) => field.startsWith('output.') && field.endsWith(`.${escaped(name)}`));
      return { name, field: same ?? nested ?? (isAnswer ? 'output' : '') };
    });
}

/** The fields that a column can be filled from. */
export function sourceFields(calls: Call[], leaves: string[]): string[] {
  const inputs = calls.flatMap((call) => Object.keys(call.inputs).map((name) => `inputs.${escaped(name)}`));
  const outputs = calls.flatMap(({ output }) =>
    Array.isArray(output) ? [] : Object.keys(recordOf(output)).map((name) => `output.${escaped(name)}`),
  );
  return [...new Set(['inputs', ...inputs, 'output', ...outputs, ...leaves])].slice(0, 200);
}

/** What keeps the columns from being used; null if nothing does. */
export function faultOf(columns: MappedColumn[]): string | null {
  const names = columns.filter(({ field }) => field !== '').map(({ name }) => name.trim());
  if (names.length === 0) return 'Choose a field for at least one column.';
  if (names.includes('')) return 'Name each column.';
  const twice = [...names, sourceField].find((name, index, all) => all.indexOf(name) !== index);
  return twice === undefined ? null : `Two columns are named ${twice}.`;
}

/** The row of a call, with its ref. */
export function rowOf(projectId: string, call: Call, columns: MappedColumn[]): Record<string, unknown> {
  const used = columns.filter(({ field }) => field !== '');
  const cells = used.map(({ name, field }) => [name.trim(), valueAt(call, field) ?? null] as const);
  return recordOfEntries([...cells, [sourceField, callRef(projectId, call.id)]]);
}

function escaped(name: string): string {
  return name.replaceAll('.', String.raw`\.`);
}
