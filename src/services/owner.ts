import type { ProjectId } from '../contract/ids.ts';
import type { Caller, Identity } from '../identity/identity.ts';

/** A project, with the name that refs in payloads and responses contain. */
export type Project = { id: ProjectId; name: string };

/** The project of an operation, and the user it is done for. */
export type Owner = { project: Project; caller: Caller };

/**
 * A caller in a project, `entity/name`. To write, the project is created if it is missing; to read, it must exist.
 * @throws Failure invalidInput, forbidden or notFound
 */
export async function ownerOf(
  { identity }: { identity: Pick<Identity, 'projectForRead' | 'projectForWrite'> },
  caller: Caller,
  name: string,
  access: 'read' | 'write',
): Promise<Owner> {
  const id = access === 'read' ? identity.projectForRead(caller, name) : identity.projectForWrite(caller, name);
  return { caller, project: { name, id: await id } };
}

/** The project of requests that name none. */
export function defaultProject(caller: Caller): string {
  return `${caller.defaultEntity}/default`;
}
