import type { TableRow } from '../../../domain/tables/table-row.ts';
import { isLarge } from '../../../util/large-text.ts';
import { openTurn } from '../../../util/turns.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import { insertLine, storableJson } from '../rows/insert-line.ts';
import { writeLargeLine } from '../rows/large-lines.ts';

/** Stores rows under their digests. */
export async function insertTableRows(inserter: BatchedInserter, projectId: string, rows: TableRow[]): Promise<void> {
  let lines = '';
  for (const { digest, text, sizeBytes } of rows) {
    const row = { project_id: projectId, digest, value: text, size_bytes: sizeBytes };
    if (isLarge(text)) {
      await inserter.insert('table_rows', await writeLargeLine('table_rows', row));
      continue;
    }
    lines += insertLine('table_rows', row);
    if (lines.length < charactersPerInsert) continue;
    await inserter.insert('table_rows', lines);
    lines = '';
  }
  if (lines !== '') await inserter.insert('table_rows', lines);
}

type Table = { projectId: string; digest: string; rowDigests: string[]; isComplete: boolean };

/** Stores a table, which is the list of its rows. */
export async function insertTable(inserter: BatchedInserter, table: Table): Promise<void> {
  await inserter.insert('tables', await tableLine(table));
}

/** Written with pauses: the list of a million rows is a line of 46 MB. */
async function tableLine({ projectId, digest, rowDigests, isComplete }: Table): Promise<Buffer> {
  const columns = { project_id: projectId, digest, is_complete: Number(isComplete) };
  const [start, end] = insertLine('tables', { row_digests: [], ...columns }).split('[]', 2) as [string, string];
  const pieces = [Buffer.from(`${start}[`)];
  const turn = openTurn();
  for (let from = 0; from < rowDigests.length; from += digestsInPiece) {
    if (turn.isOver()) await turn.next();
    const piece = storableJson(rowDigests.slice(from, from + digestsInPiece)).slice(1, -1);
    pieces.push(Buffer.from(from === 0 ? piece : `,${piece}`));
  }
  pieces.push(Buffer.from(`]${end}`));
  const line = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let written = 0;
  for (const piece of pieces) {
    if (turn.isOver()) await turn.next();
    written += piece.copy(line, written);
  }
  return line;
}

const digestsInPiece = 10_000;

/** An insert blocks the event loop while its text is copied. */
const charactersPerInsert = 2 * 1024 * 1024;
