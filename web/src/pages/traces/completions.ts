import { quoted } from '../../features/call/condition.ts';
import { fieldText, isFieldLike } from '../../features/call/field-paths.ts';

/** Replaces the characters from `from` to `to` of the text. */
export type Completion = { text: string; meaning: string; from: number; to: number };

type Known = { fields: string[]; valuesOf: (field: string) => string[] };

const knownFields: [field: string, operator: string, meaning: string][] = [
  ['status', ':', 'success, error, running'],
  ['op_name', ':', 'name of the op'],
  ['latency_ms', '>', 'duration in milliseconds'],
  ['model', ':', 'model of the inputs'],
  ['thread_id', ':', 'thread'],
  ['display_name', '~', 'name of the call contains'],
  ['exception', '~', 'error message contains'],
  ['started_at', '>', 'start, as 2026-01-31'],
  ['trace_id', ':', 'trace'],
  ['wb_user_id', ':', 'user'],
];

const shownMax = 12;

/** What may follow at a position of a filter: a field, a value of the field before it, or a word that joins conditions. */
export function completionsAt(text: string, position: number, { fields, valuesOf }: Known): Completion[] {
  const [word = ''] = /(?:\["(?:[^"\\]|\\.)*"\]|[^\s()])*$/.exec(text.slice(0, position)) ?? [];
  const from = position - word.length;
  const [, field, operator, begun = ''] =
    /^((?:\["(?:[^"\\]|\\.)*"\]|[^:=<>~!])+)(!=|>=|<=|[:=<>~])(.*)$/.exec(word) ?? [];
  if (field !== undefined && operator !== undefined) {
    return valuesOf(field)
      .filter((value) => value.toLowerCase().includes(begun.replace(/^"/, '').toLowerCase()))
      .slice(0, shownMax)
      .map((value) => ({ text: `${field}${operator}${quoted(value)} `, meaning: '', from, to: position }));
  }
  const known = knownFields.filter(([name]) => name.toLowerCase().includes(word.toLowerCase()));
  const nested = fields
    .filter((field) => isFieldLike(field, word))
    .map((field): [string, string, string] => [fieldText(field), ':', 'field of the listed calls']);
  return [...known, ...nested]
    .slice(0, word === '' ? 8 : shownMax)
    .map(([name, sign, meaning]) => ({ text: `${name}${sign}`, meaning, from, to: position }));
}
