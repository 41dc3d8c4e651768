import type { Identity } from '../identity/identity.ts';
import { type Owner, ownerOf } from '../services/owner.ts';
import { invalidInput } from '../util/failures.ts';

/** Imports are made as the server's owner, into `entity/project` or a project of the owner's entity. @throws Failure */
export async function ownerOfImport(identity: Identity, project: string): Promise<Owner> {
  const caller = await identity.findOwner();
  if (caller === null) throw invalidInput('This server has no owner yet. Start it once with `heddle serve`.');
  const name = project.includes('/') ? project : `${caller.defaultEntity}/${project}`;
  return ownerOf({ identity }, caller, name, 'write');
}
