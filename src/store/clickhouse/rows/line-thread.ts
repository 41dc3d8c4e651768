import type { CallRow } from '../../../domain/calls/call-row.ts';
import { giveWay } from '../../../util/give-way.ts';
import { garbageCollector } from '../../../util/release-memory.ts';
import { Transferring } from '../../../util/workers/messages.ts';
import { serveRequests } from '../../../util/workers/serve-requests.ts';
import { toInsertLine } from '../calls/call-line.ts';
import { type PartToWrite, toPartLine } from '../calls/write/shared/to-part-line.ts';
import { type Table, tableLine } from '../tables/table-line.ts';
import { insertLine } from './insert-line.ts';
import type { RowOf, TableName } from './tables.ts';

const handlers = {
  lines: ({ table, rows }: { table: TableName; rows: RowOf<TableName>[] }) =>
    inUtf8(rows.map((row) => insertLine(table, row))),
  async tableLine({ table }: { table: Table }): Promise<Transferring<Uint8Array>> {
    const line = await tableLine(table);
    return new Transferring(line, [line.buffer]);
  },
  linesOfCalls: ({ rows }: { rows: CallRow[] }) => inUtf8(rows.map(toInsertLine)),
  linesOfParts: ({ parts }: { parts: PartToWrite[] }) => inUtf8(parts.map(toPartLine)),
  parse: ({ line }: { line: Uint8Array }): unknown => JSON.parse(new TextDecoder().decode(line)),
};

export type LineWriting = typeof handlers;

function inUtf8(lines: string[]): Transferring<Uint8Array> {
  const bytes = new TextEncoder().encode(lines.join(''));
  return new Transferring(bytes, [bytes.buffer]);
}

/** The thread for the lines of large rows. */
giveWay();
serveRequests(handlers, { order: 'sequence', afterWork: garbageCollector() });
