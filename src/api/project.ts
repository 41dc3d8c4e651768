import type { Context } from '../context.ts';
import type { Caller } from '../identity/identity.ts';
import type { Project } from '../services/calls/query-calls.ts';

/** The project of a request. @throws ApiError 400, 403 or 404 */
export async function projectForRead(
  { identity }: Pick<Context, 'identity'>,
  caller: Caller,
  name: string,
): Promise<Project> {
  return { id: await identity.projectForRead(caller, name), name };
}
