import type { Context } from '../context.ts';
import type { Caller } from '../identity/identity.ts';
import type { Owner } from '../services/owner.ts';
import { projectOfPath } from './project-of-path.ts';

type Request = { params: { entity: string; project: string }; caller: Caller };

/** The project of a `/v2/{entity}/{project}` path, which must exist. @throws ApiError 404 */
export async function ownerForRead(
  { identity }: Pick<Context, 'identity'>,
  { params, caller }: Request,
): Promise<Owner> {
  const name = projectOfPath(params);
  return { caller, project: { name, id: await identity.projectForRead(caller, name) } };
}

/** The same, made where it does not exist. */
export async function ownerForWrite(
  { identity }: Pick<Context, 'identity'>,
  { params, caller }: Request,
): Promise<Owner> {
  const name = projectOfPath(params);
  return { caller, project: { name, id: await identity.projectForWrite(caller, name) } };
}
