import type { TableRow } from '../../../domain/tables/table-row.ts';
import type { BatchedInserter } from '../batched-inserter.ts';
import { insertLine } from '../rows/insert-line.ts';

/** Stores rows under their digests. */
export async function insertTableRows(inserter: BatchedInserter, projectId: string, rows: TableRow[]): Promise<void> {
  for (let lines = '', i = 0; i < rows.length; i++) {
    const { digest, text, sizeBytes } = rows[i]!;
    lines += insertLine('table_rows', { project_id: projectId, digest, value: text, size_bytes: sizeBytes });
    if (lines.length < charactersPerInsert && i < rows.length - 1) continue;
    await inserter.insert('table_rows', lines);
    lines = '';
  }
}

/** Stores a table, which is the list of its rows. */
export function insertTable(
  inserter: BatchedInserter,
  table: { projectId: string; digest: string; rowDigests: string[]; isComplete: boolean },
): Promise<void> {
  const row = { project_id: table.projectId, digest: table.digest, row_digests: table.rowDigests };
  return inserter.insert('tables', insertLine('tables', { ...row, is_complete: Number(table.isComplete) }));
}

/** An insert holds up the event loop for as long as its text is copied. */
const charactersPerInsert = 2 * 1024 * 1024;
