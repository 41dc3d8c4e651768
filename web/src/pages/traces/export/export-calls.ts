import type { Call } from '../../../api/calls.ts';
import { streamLines } from '../../../api/client.ts';
import { isSilent, type ListedCall, readTracesUsage, withSpending } from '../../../api/trace-usage.ts';
import { writeJson } from '../../../format/json.ts';
import { saveBlob } from '../../../hooks/save-blob.ts';
import type { Selection } from '../traces-query.ts';
import { csvHead, csvLine } from './csv.ts';
import { parquetColumns } from './parquet-columns.ts';
import { ParquetFile } from './parquet-file.ts';

export type ExportFormat = 'jsonl' | 'csv' | 'parquet';

/** More are too many for the memory of a browser; programs read them from the API. */
const exportMax = 50_000;

const types = { jsonl: 'application/jsonl', csv: 'text/csv', parquet: 'application/vnd.apache.parquet' };

/** Writes calls to a file of the user: those of the ids, or all that are selected. Returns what to tell the user. */
export async function exportCalls(selection: Selection, ids: string[], format: ExportFormat): Promise<string> {
  const { projectId, filter, query } = selection;
  const chosen = ids.length > 0 ? { filter: { call_ids: ids } } : { filter, query };
  const body = { project_id: projectId, ...chosen, include_costs: true, limit: exportMax };
  const file = format === 'parquet' ? new ParquetFile(parquetColumns) : textFile(format);
  let count = 0;
  const calls = streamLines('POST /calls/stream_query', { body });
  // JSON Lines are the calls as the API answers them.
  const areTraces = filter.topmost_calls_only === true && format !== 'jsonl';
  for await (const call of areTraces ? withTraces(projectId, calls) : calls) {
    await file.add(call);
    count++;
  }
  saveBlob(new Blob(await file.end(), { type: types[format] }), `${projectId.replace('/', '-')}-calls.${format}`);
  if (count === exportMax) return `Exported the first ${exportMax} calls; use the API for more`;
  return `Exported ${count} ${count === 1 ? 'call' : 'calls'}`;
}

/** The calls with what their traces use, as the list shows them. */
async function* withTraces(projectId: string, calls: AsyncIterable<Call>): AsyncGenerator<ListedCall> {
  const page: Call[] = [];
  const written = async () => {
    const silent = page.filter(isSilent);
    const { found } = await readTracesUsage(
      projectId,
      silent.map(({ id }) => id),
    );
    return withSpending(page.splice(0), found);
  };
  for await (const call of calls) {
    page.push(call);
    if (page.length === pageSize) yield* await written();
  }
  yield* await written();
}

const pageSize = 100;

function textFile(format: 'jsonl' | 'csv') {
  const parts: string[] = format === 'csv' ? [csvHead] : [];
  return {
    add: (call: ListedCall) => void parts.push(format === 'csv' ? csvLine(call) : `${writeJson(call)}\n`),
    end: () => parts,
  };
}
