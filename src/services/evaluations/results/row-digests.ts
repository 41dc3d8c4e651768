import { toTableRow } from '../../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../../identity/identity.ts';
import { openTurn } from '../../../util/turns.ts';
import { resolveProjects } from '../../refs/convert-refs.ts';
import { toStoredRefs } from '../../refs/named-projects.ts';

/**
 * The digest of each trial's row: of the dataset row that it names, or else the digest that its inline row would have
 * in a table, so that both ways of recording agree.
 */
export async function openRowDigests(
  identity: Identity,
  caller: Caller,
  trials: Iterable<Tried>,
): Promise<(trial: Tried) => string> {
  const inline = new Set<string>();
  for (const { rowDigest, inlineRow } of trials) if (rowDigest === '') inline.add(inlineRow);
  const digests = new Map<string, string>();
  const projects = await resolveProjects(identity, caller, inline);
  const turn = openTurn();
  for (const row of inline) {
    if (turn.isOver()) await turn.next();
    digests.set(row, toTableRow(row || 'null', (text) => toStoredRefs(text, projects)).digest);
  }
  return ({ rowDigest, inlineRow }) => rowDigest || digests.get(inlineRow)!;
}

type Tried = { rowDigest: string; inlineRow: string };
