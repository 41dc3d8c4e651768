import type { FastifyRequest } from 'fastify';
import type { ProjectId } from '../contract/ids.ts';
import type { Caller, Identity } from '../identity/identity.ts';

type Asking = { caller: Caller; raw: FastifyRequest };

/**
 * The project of a request of OpenAI's API, chosen as that of a chat is: the header `X-Heddle-Project`, or `default` of the
 * caller. That one is created with the first request, so that an empty list is no error.
 */
export function openAiProject(
  identity: Identity,
  { caller, raw }: Asking,
  access: 'read' | 'write',
): Promise<ProjectId> {
  const named = raw.headers['x-heddle-project'];
  if (typeof named !== 'string' || named === '') {
    return identity.projectForWrite(caller, `${caller.defaultEntity}/default`);
  }
  return access === 'write' ? identity.projectForWrite(caller, named) : identity.projectForRead(caller, named);
}
