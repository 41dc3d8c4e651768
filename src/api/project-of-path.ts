import { badRequest } from '../contract/errors.ts';

/**
 * The project that a `/v2/{entity}/{project}` path names.
 * @throws ApiError 400 when the body names another one.
 */
export function projectOfPath(params: { entity: string; project: string }, inBody: string[] = []): string {
  const project = `${params.entity}/${params.project}`;
  const other = inBody.find((each) => each !== project);
  if (other === undefined) return project;
  throw badRequest(`The path names the project ${project}, but the body names ${other}.`);
}
