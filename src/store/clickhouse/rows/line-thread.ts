import type { CallRow } from '../../../domain/calls/call-row.ts';
import { giveWay } from '../../../util/give-way.ts';
import { Transferring } from '../../../util/workers/messages.ts';
import { serveRequests } from '../../../util/workers/serve-requests.ts';
import { toInsertLine } from '../calls/call-row.ts';
import { insertLine } from './insert-line.ts';
import type { RowOf, TableName } from './tables.ts';

const handlers = {
  line: ({ table, row }: { table: TableName; row: RowOf<TableName> }) => inUtf8([insertLine(table, row)]),
  linesOfCalls: ({ rows }: { rows: CallRow[] }) => inUtf8(rows.map(toInsertLine)),
  parse: ({ line }: { line: string }): unknown => JSON.parse(line),
};

export type LineWriting = typeof handlers;

function inUtf8(lines: string[]): Transferring<Uint8Array> {
  const bytes = new TextEncoder().encode(lines.join(''));
  return new Transferring(bytes, [bytes.buffer]);
}

/** The thread for the lines of large rows. */
giveWay();
serveRequests(handlers, { order: 'sequence' });
