import { type TableRow, toTableRow } from '../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { areSmall, inPieces } from '../../util/large-text.ts';
import { openTurn } from '../../util/turns.ts';
import { workOn } from '../large/large.ts';
import { resolveProjects } from '../refs/convert-refs.ts';
import { toStoredRefs } from '../refs/named-projects.ts';

/** Computes the digests of rows; in a thread if they are many or large, because 31 MiB of rows take seconds. */
export async function prepareRows(identity: Identity, caller: Caller, rows: string[]): Promise<TableRow[]> {
  const projects = await resolveProjects(identity, caller, rows);
  if (areSmall(rows, (text) => text))
    return rows.map((text) => toTableRow(text, (each) => toStoredRefs(each, projects)));
  const prepared: TableRow[] = [];
  const turn = openTurn();
  for (const piece of inPieces(rows, (text) => text)) {
    if (turn.isOver()) await turn.next();
    const { digests, sizes } = await workOn('rowDigests', piece, projects);
    for (const [i, text] of piece.entries()) prepared.push({ digest: digests[i]!, text, sizeBytes: sizes[i]! });
  }
  return prepared;
}
