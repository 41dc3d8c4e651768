import type { Call } from '../../api/calls.ts';
import { streamLines } from '../../api/client.ts';
import { opTitle, statusOf } from '../../format/call.ts';
import type { Selection } from './traces-query.ts';

export type ExportFormat = 'jsonl' | 'csv';

/** More are too many for the memory of a browser; programs read them from the API. */
export const exportMax = 50_000;

/** Writes calls to a file of the user: those of the ids, or all that are selected. Returns how many there were. */
export async function exportCalls(selection: Selection, ids: string[], format: ExportFormat): Promise<number> {
  const { projectId, isRootsOnly, query } = selection;
  const chosen = ids.length > 0 ? { filter: { call_ids: ids } } : { filter: { trace_roots_only: isRootsOnly }, query };
  const body = { project_id: projectId, ...chosen, include_costs: true, limit: exportMax };
  const parts: string[] = format === 'csv' ? [`${csvColumns.join(',')}\n`] : [];
  let count = 0;
  for await (const call of streamLines('POST /calls/stream_query', { body })) {
    parts.push(format === 'csv' ? csvLine(call) : `${JSON.stringify(call)}\n`);
    count++;
  }
  const type = format === 'csv' ? 'text/csv' : 'application/jsonl';
  download(new Blob(parts, { type }), `${projectId.replace('/', '-')}-calls.${format}`);
  return count;
}

const csvColumns = [
  'id',
  'trace_id',
  'parent_id',
  'name',
  'status',
  'started_at',
  'ended_at',
  'exception',
  'inputs',
  'output',
  'summary',
];

function csvLine(call: Call): string {
  const { id, trace_id, parent_id, op_name, started_at, ended_at, exception, inputs, output, summary } = call;
  const values = [id, trace_id, parent_id, opTitle(op_name), statusOf(call), started_at, ended_at, exception];
  const payloads = [inputs, output, summary].map((value) => (value == null ? '' : JSON.stringify(value)));
  return `${[...values, ...payloads].map(csvValue).join(',')}\n`;
}

/** Spreadsheets run what begins with these signs as a formula: a quote in front of it keeps it a text. */
function csvValue(value: unknown): string {
  const text = value == null ? '' : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
