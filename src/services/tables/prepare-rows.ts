import { type TableRow, toTableRow } from '../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { isLarge } from '../../util/large-text.ts';
import { openTurn } from '../../util/turns.ts';
import { workOn } from '../large/large.ts';
import { resolveProjects } from '../refs/convert-refs.ts';
import { toStoredRefs } from '../refs/named-projects.ts';

/** Computes the digests of rows, with pauses in which other requests are served: 31 MiB of rows take seconds. */
export async function prepareRows(identity: Identity, caller: Caller, rows: string[]): Promise<TableRow[]> {
  const projects = await resolveProjects(identity, caller, rows);
  const prepared: TableRow[] = [];
  const turn = openTurn();
  for (const text of rows) {
    if (turn.isOver()) await turn.next();
    const row = isLarge(text)
      ? await workOn('tableRow', text, projects)
      : toTableRow(text, (each) => toStoredRefs(each, projects));
    prepared.push(row);
  }
  return prepared;
}
