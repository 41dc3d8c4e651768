import { costOf, nameOf, statusOf, unpricedOf } from '../../../api/call-fields.ts';
import type { Call } from '../../../api/calls.ts';
import { writeJson } from '../../../format/json.ts';

const columns = [
  'id',
  'trace_id',
  'parent_id',
  'name',
  'status',
  'started_at',
  'ended_at',
  'cost_usd',
  'cost_is_at_least',
  'cost_is_estimate',
  'exception',
  'inputs',
  'output',
  'summary',
];

export function csvLine(call: Call): string {
  const { id, trace_id, parent_id, started_at, ended_at, exception, inputs, output, summary } = call;
  const values = [id, trace_id, parent_id, nameOf(call), statusOf(call), started_at, ended_at];
  const { isAtLeast, isEstimate } = unpricedOf(call);
  const cost = [costOf(call), isAtLeast, isEstimate];
  const payloads = [inputs, output, summary].map((value) => (value == null ? '' : writeJson(value)));
  return `${[...values, ...cost, exception, ...payloads].map(csvValue).join(',')}\n`;
}

/** Spreadsheets run what begins with these signs as a formula: a quote in front of it keeps it a text. */
function csvValue(value: unknown): string {
  const text = value == null ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvHead = `${columns.join(',')}\n`;
