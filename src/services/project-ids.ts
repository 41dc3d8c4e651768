import type { ProjectId } from '../contract/ids.ts';
import type { Caller, Identity } from '../identity/identity.ts';

/**
 * The ids of the projects that a batch writes to, by name; projects are created if they do not exist.
 * @throws Failure, before anything is written, if the caller may not write to one of them.
 */
export async function projectIdsForWrite(
  identity: Identity,
  caller: Caller,
  names: string[],
): Promise<Map<string, ProjectId>> {
  const ids = new Map<string, ProjectId>();
  for (const name of new Set(names)) ids.set(name, await identity.projectForWrite(caller, name));
  return ids;
}
