import type { Readable } from 'node:stream';
import type { ProjectId } from '../../../contract/ids.ts';
import type { JsonText } from '../../../util/json/json-text.ts';
import { toJson } from '../../../util/json/write.ts';
import { linesOf } from '../../../util/lines.ts';

type Row = { item: JsonText; sample: JsonText | null };

const bytesAtOnce = 1024 * 1024;

/** Where the rows of a run are in the blob store, one per line, if the request that created the run contained them. */
export function rowsKey(projectId: ProjectId, callId: string): string {
  return `projects/${projectId}/openai-evals/${callId}/rows.jsonl`;
}

/** Rows as JSON lines. */
export async function* toLines(rows: Iterable<Row>): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const { item, sample } of rows) {
    text += `${toJson(sample === null ? { item } : { item, sample })}\n`;
    if (text.length < bytesAtOnce) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** The lines of a stored file that are not empty. */
export async function* rowsOf({ stream }: { stream: Readable }): AsyncGenerator<string> {
  for await (const line of linesOf(stream)) {
    if (line.trim() !== '') yield line;
  }
}
