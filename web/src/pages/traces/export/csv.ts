import { nameOf, statusOf } from '../../../api/call-fields.ts';
import { type ListedCall, spendingOfListed } from '../../../api/trace-usage.ts';
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

export function csvLine(call: ListedCall): string {
  const { id, trace_id, parent_id, started_at, ended_at, exception, inputs, output, summary } = call;
  const values = [id, trace_id, parent_id, nameOf(call), statusOf(call), started_at, ended_at];
  const { cost, unpriced } = spendingOfListed(call);
  const payloads = [inputs, output, summary].map((value) => (value == null ? '' : writeJson(value)));
  return `${[...values, cost, unpriced.isAtLeast, unpriced.isEstimate, exception, ...payloads].map(csvValue).join(',')}\n`;
}

/** Spreadsheets run what begins with these signs as a formula: a quote in front of it keeps it a text. */
function csvValue(value: unknown): string {
  const text = value == null ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvHead = `${columns.join(',')}\n`;
