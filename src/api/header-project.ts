import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import type { Caller } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';

type Request = { caller: Caller; raw: { headers: IncomingHttpHeaders } };

/**
 * The project of a request of an OpenAI client: the header `X-Heddle-Project` names it, as for chats; without it, the
 * project `default`. It is created if missing.
 * @throws Failure 403
 */
export async function headerOwnerForWrite(
  { identity }: Pick<Context, 'identity'>,
  { caller, raw }: Request,
): Promise<Owner> {
  const given = raw.headers['x-heddle-project'];
  const name = typeof given === 'string' && given !== '' ? given : `${caller.defaultEntity}/default`;
  return { caller, project: { name, id: await identity.projectForWrite(caller, name) } };
}
