import type { ProjectName } from '../../contract/ids.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { isLarge } from '../../util/large-text.ts';
import { openTurn } from '../../util/turns.ts';
import { workOn } from '../large/large.ts';
import {
  type NamedProjects,
  noteIds,
  noteProjects,
  type ResolvedProjects,
  remember,
  toShownRefs,
} from './named-projects.ts';

/**
 * Finds the projects that refs in these texts name, to convert the texts to stored refs (see `toStoredRefs`). Refs to
 * projects that the caller cannot read stay text.
 */
export async function resolveProjects(
  identity: Identity,
  caller: Caller,
  texts: Iterable<string>,
): Promise<ResolvedProjects> {
  const named: NamedProjects = { names: new Set(), ids: new Set() };
  const turn = openTurn();
  for (const text of texts) {
    if (!text.includes('weave')) continue;
    if (turn.isOver()) await turn.next();
    if (isLarge(text)) await noteElsewhere(text, named);
    else noteProjects(text, named);
  }
  const resolved: ResolvedProjects = { names: new Map(), ids: new Map() };
  // The embedded PostgreSQL runs in this thread: without turns, many look-ups would be one long step.
  for (const name of named.names) {
    if (turn.isOver()) await turn.next();
    resolved.names.set(name, await identity.readableProject(caller, name));
  }
  for (const id of named.ids) {
    if (turn.isOver()) await turn.next();
    resolved.ids.set(id, await identity.readableProjectName(caller, id));
  }
  return resolved;
}

async function noteElsewhere(text: string, named: NamedProjects): Promise<void> {
  const { names, ids } = await workOn('namedProjects', text);
  for (const name of names) remember(named.names, name);
  for (const id of ids) remember(named.ids, id);
}

/** The reverse: these texts with refs as clients write them. Projects that the caller cannot read are not named. */
export async function externalRefs(
  identity: Identity,
  caller: Caller,
  texts: Iterable<string>,
): Promise<(text: string) => string> {
  const named = new Set<string>();
  const large: string[] = [];
  const turn = openTurn();
  for (const text of texts) {
    if (!text.includes('weave')) continue;
    if (turn.isOver()) await turn.next();
    if (isLarge(text)) large.push(text);
    else noteIds(text, named);
  }
  for (const text of large) for (const id of await workOn('namedIds', text)) remember(named, id);
  const ids = new Map<string, ProjectName | null>();
  for (const id of named) {
    if (turn.isOver()) await turn.next();
    ids.set(id, await identity.readableProjectName(caller, id));
  }
  const converted = new Map<string, string>();
  for (const text of large) converted.set(text, await workOn('shownRefs', text, ids));
  return (text) => converted.get(text) ?? toShownRefs(text, ids);
}
