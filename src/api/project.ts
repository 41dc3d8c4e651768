import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../context.ts';
import { badRequest } from '../contract/errors.ts';
import type { Caller } from '../identity/identity.ts';
import { defaultProject, type Owner, ownerOf, type Project } from '../services/owner.ts';

/*
 * The project of a request is named, in this order, by its path (`/v2/{entity}/{project}`), by the header
 * `X-Heddle-Project`, by the model it is for, or it is the caller's default project. Trace requests name it in their body.
 */

type Needed = Pick<Context, 'identity'>;
type Request = { caller: Caller; params?: unknown; raw?: { headers: IncomingHttpHeaders } };
type PathParams = { entity: string; project: string };

/** A project that a body names. @throws ApiError 400, 403 or 404 */
export async function projectForRead(needed: Needed, caller: Caller, name: string): Promise<Project> {
  return (await ownerOf(needed, caller, name, 'read')).project;
}

/** The project of a request that reads, which must exist unless it is the default. @throws Failure forbidden or notFound */
export async function ownerForRead(needed: Needed, request: Request): Promise<Owner> {
  const name = namedProject(request);
  if (name === null) return ownerForWrite(needed, request);
  return ownerOf(needed, request.caller, name, 'read');
}

/** The project of a request that writes, created if it is missing. @throws Failure forbidden */
export async function ownerForWrite(needed: Needed, request: Request): Promise<Owner> {
  const { caller } = request;
  return ownerOf(needed, caller, namedProject(request) ?? defaultProject(caller), 'write');
}

/**
 * The project that a `/v2/{entity}/{project}` path names.
 * @throws ApiError 400 when the body names another one.
 */
export function projectOfPath(params: PathParams, inBody: string[] = []): string {
  const project = `${params.entity}/${params.project}`;
  const other = inBody.find((each) => each !== project);
  if (other === undefined) return project;
  throw badRequest(`The path names the project ${project}, but the body names ${other}.`);
}

function namedProject({ params, raw }: Request): string | null {
  if (namesProject(params)) return projectOfPath(params);
  const given = raw?.headers['x-heddle-project'];
  return typeof given === 'string' && given !== '' ? given : null;
}

function namesProject(params: unknown): params is PathParams {
  return typeof params === 'object' && params !== null && 'entity' in params && 'project' in params;
}
