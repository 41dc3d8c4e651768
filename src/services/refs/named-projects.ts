import type { ProjectId, ProjectName } from '../../contract/ids.ts';
import { toExternalRefs, toInternalRefs, UnreadableInternalRefError } from '../../domain/ref-conversion.ts';
import { invalidInput } from '../../util/failures.ts';

/** The projects that refs in texts name: by entity and project, or by internal id. */
export type NamedProjects = { names: Set<string>; ids: Set<string> };
/** The same, with the project as the caller sees it: null if the caller cannot read it. */
export type ResolvedProjects = { names: Map<string, ProjectId | null>; ids: Map<string, ProjectName | null> };

export function noteProjects(text: string, { names, ids }: NamedProjects): void {
  const note = (entity: string, project: string) => {
    remember(names, `${entity}/${project}`);
    return null;
  };
  const noteId = (id: string) => {
    remember(ids, id);
    return true;
  };
  toInternalRefs(text, note, noteId);
}

/** The text with stored refs. @throws Failure for an internal ref to a project that the caller cannot read */
export function toStoredRefs(text: string, { names, ids }: ResolvedProjects): string {
  const resolve = (entity: string, project: string) => names.get(`${entity}/${project}`) ?? null;
  const isReadable = (id: string) => (ids.get(id) ?? null) !== null;
  try {
    return toInternalRefs(text, resolve, isReadable);
  } catch (error) {
    throw error instanceof UnreadableInternalRefError ? invalidInput(error.message) : error;
  }
}

/** Collects the projects that stored refs name. */
export function noteIds(text: string, ids: Set<string>): void {
  toExternalRefs(text, (id) => {
    remember(ids, id);
    return null;
  });
}

/** The text with refs as clients write them. */
export function toShownRefs(text: string, ids: Map<string, ProjectName | null>): string {
  return toExternalRefs(text, (id) => ids.get(id) ?? null);
}

/** Each project costs a look-up, so the number per request is limited; refs to more projects stay unresolved. */
const projectsMax = 1000;

export function remember(projects: Set<string>, project: string): void {
  if (projects.size < projectsMax) projects.add(project);
}
