import type { Identity } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';
import { invalidInput } from '../util/failures.ts';

/** A project of the server's owner: `entity/project`, or a name in the owner's entity. @throws Failure */
export async function ownerOf(
  { identity }: { identity: Identity },
  given: string,
  access: 'read' | 'write',
): Promise<Owner> {
  const caller = await identity.findOwner();
  if (caller === null) throw invalidInput('This server has no owner yet.');
  const name = given.includes('/') ? given : `${caller.defaultEntity}/${given}`;
  const id = access === 'read' ? identity.projectForRead(caller, name) : identity.projectForWrite(caller, name);
  return { caller, project: { name, id: await id } };
}
