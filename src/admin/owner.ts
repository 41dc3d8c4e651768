import type { Identity } from '../identity/identity.ts';
import { type Owner, ownerOf } from '../services/owner.ts';
import { invalidInput } from '../util/failures.ts';

/** The server's owner in a project: `entity/project`, or a name in the owner's entity. @throws Failure */
export async function serverOwnerOf(
  { identity }: { identity: Identity },
  given: string,
  access: 'read' | 'write',
): Promise<Owner> {
  const caller = await identity.findOwner();
  if (caller === null) throw invalidInput('This server has no owner yet.');
  return ownerOf({ identity }, caller, given.includes('/') ? given : `${caller.defaultEntity}/${given}`, access);
}
