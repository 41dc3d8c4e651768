import { toTableRow } from '../../domain/tables/table-row.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { openTurn } from '../../util/turns.ts';
import { resolveProjects } from '../refs/convert-refs.ts';
import { toStoredRefs } from '../refs/named-projects.ts';
import { rowDigestOf } from './to-trial.ts';

/**
 * The digests of rows by their examples (JSON text): those of the rows that refs name, or else the digests that the
 * examples would have as rows of a table, so that both ways of recording agree.
 */
export async function openRowDigests(
  identity: Identity,
  caller: Caller,
  trials: Iterable<{ example: string }>,
): Promise<(example: string) => string> {
  const digests = new Map<string, string>();
  const inline = new Set<string>();
  const turn = openTurn();
  for (const { example } of trials) {
    if (turn.isOver()) await turn.next();
    const named = rowDigestOf(example);
    if (named === null) inline.add(example);
    else digests.set(example, named);
  }
  const projects = await resolveProjects(identity, caller, inline);
  for (const example of inline) {
    if (turn.isOver()) await turn.next();
    digests.set(example, toTableRow(example || 'null', (text) => toStoredRefs(text, projects)).digest);
  }
  return (example) => digests.get(example)!;
}
