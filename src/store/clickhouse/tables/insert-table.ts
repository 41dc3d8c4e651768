import type { TableRow } from '../../../domain/tables/table-row.ts';
import { joined } from '../../../util/joined.ts';
import { areSmall, inPieces } from '../../../util/large-text.ts';
import { openTurn } from '../../../util/turns.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import { insertLine } from '../rows/insert-line.ts';
import { writeLargeLines, writeLongTable } from '../rows/large-lines.ts';
import { type Table, tableLine } from './table-line.ts';

/** Stores rows under their digests. */
export async function insertTableRows(inserter: BatchedInserter, projectId: string, rows: TableRow[]): Promise<void> {
  const columnsOf = ({ digest, text, sizeBytes }: TableRow) => {
    return { project_id: projectId, digest, value: text, size_bytes: sizeBytes };
  };
  if (areSmall(rows, ({ text }) => text)) {
    const lines = rows.map((row) => insertLine('table_rows', columnsOf(row)));
    if (lines.length > 0) await inserter.insert('table_rows', lines.join(''));
    return;
  }
  let lines: Buffer[] = [];
  let bytes = 0;
  const turn = openTurn();
  for (const piece of inPieces(rows, ({ text }) => text)) {
    if (turn.isOver()) await turn.next();
    const written = await writeLargeLines('table_rows', piece.map(columnsOf));
    lines.push(written);
    bytes += written.length;
    if (bytes < bytesPerInsert) continue;
    await inserter.insert('table_rows', joined(lines));
    [lines, bytes] = [[], 0];
  }
  if (bytes > 0) await inserter.insert('table_rows', joined(lines));
}

/** Stores a table, which is the list of its rows. */
export async function insertTable(inserter: BatchedInserter, table: Table): Promise<void> {
  const isShort = table.rowDigests.bytes.length < shortListBytesMax;
  await inserter.insert('tables', isShort ? Buffer.from(await tableLine(table)) : await writeLongTable(table));
}

const shortListBytesMax = 256 * 1024;

/** An insert blocks the event loop while its bytes are copied. */
const bytesPerInsert = 2 * 1024 * 1024;
