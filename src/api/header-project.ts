import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import type { ProjectId } from '../contract/ids.ts';
import type { Caller } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';

type Request = { caller: Caller; raw: { headers: IncomingHttpHeaders } };
type Needed = Pick<Context, 'identity'>;

/**
 * The project of a request of an OpenAI client: the header `X-Heddle-Project` names it, as for chats; without it, the
 * project `default`. It is created if missing.
 * @throws Failure 403
 */
export async function headerOwnerForWrite({ identity }: Needed, request: Request): Promise<Owner> {
  const { caller } = request;
  const name = namedProject(request) ?? `${caller.defaultEntity}/default`;
  return { caller, project: { name, id: await identity.projectForWrite(caller, name) } };
}

/** The same for a request that only reads: a project that is named must exist. @throws Failure 403, 404 */
export async function headerOwnerForRead(needed: Needed, request: Request): Promise<Owner> {
  const name = namedProject(request);
  if (name === null) return headerOwnerForWrite(needed, request);
  const { caller } = request;
  return { caller, project: { name, id: await needed.identity.projectForRead(caller, name) } };
}

export async function headerProjectForWrite(needed: Needed, request: Request): Promise<ProjectId> {
  return (await headerOwnerForWrite(needed, request)).project.id;
}

export async function headerProjectForRead(needed: Needed, request: Request): Promise<ProjectId> {
  return (await headerOwnerForRead(needed, request)).project.id;
}

function namedProject({ raw }: Request): string | null {
  const given = raw.headers['x-heddle-project'];
  return typeof given === 'string' && given !== '' ? given : null;
}
