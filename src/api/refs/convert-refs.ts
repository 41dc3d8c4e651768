import { badRequest } from '../../contract/errors.ts';
import type { ProjectId, ProjectName } from '../../contract/ids.ts';
import { toExternalRefs, toInternalRefs, UnreadableInternalRefError } from '../../domain/ref-conversion.ts';
import type { Caller, Identity } from '../../identity/identity.ts';
import { openTurn } from '../../util/turns.ts';

/**
 * Finds the projects that refs in these texts name, and answers the conversion of the texts to refs as they are stored.
 * Refs to projects that the caller cannot read stay text.
 * @throws ApiError 400, from the conversion, for an internal ref to a project that the caller cannot read.
 */
export async function internalRefs(
  identity: Identity,
  caller: Caller,
  texts: Iterable<string>,
): Promise<(text: string) => string> {
  const names = new Map<string, ProjectId | null>();
  const ids = new Map<string, ProjectName | null>();
  const note = (entity: string, project: string) => {
    remember(names, `${entity}/${project}`);
    return null;
  };
  const noteId = (id: string) => {
    remember(ids, id);
    return true;
  };
  const turn = openTurn();
  for (const text of texts) {
    if (turn.isOver()) await turn.next();
    toInternalRefs(text, note, noteId);
  }
  for (const name of names.keys()) names.set(name, await identity.readableProject(caller, name));
  for (const id of ids.keys()) ids.set(id, await identity.readableProjectName(caller, id));
  const resolve = (entity: string, project: string) => names.get(`${entity}/${project}`) ?? null;
  const isReadable = (id: string) => (ids.get(id) ?? null) !== null;
  return (text) => refuseUnreadable(() => toInternalRefs(text, resolve, isReadable));
}

/** The way back: refs as clients write them. Projects that the caller cannot read are not named. */
export async function externalRefs(
  identity: Identity,
  caller: Caller,
  texts: Iterable<string>,
): Promise<(text: string) => string> {
  const ids = new Map<string, ProjectName | null>();
  const turn = openTurn();
  for (const text of texts) {
    if (turn.isOver()) await turn.next();
    toExternalRefs(text, (id) => {
      remember(ids, id);
      return null;
    });
  }
  for (const id of ids.keys()) ids.set(id, await identity.readableProjectName(caller, id));
  return (text) => toExternalRefs(text, (id) => ids.get(id) ?? null);
}

/** Each project costs a look-up, so one request may name only so many; refs to more stay unresolved. */
const projectsMax = 1000;

function remember(projects: Map<string, unknown>, project: string): void {
  if (projects.size < projectsMax) projects.set(project, null);
}

function refuseUnreadable(convert: () => string): string {
  try {
    return convert();
  } catch (error) {
    throw error instanceof UnreadableInternalRefError ? badRequest(error.message) : error;
  }
}
