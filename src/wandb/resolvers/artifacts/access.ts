import { notFound } from '../../../contract/errors.ts';
import type { Artifact } from '../../../services/artifacts/artifacts.ts';
import { type GraphqlContext, projectOf } from '../context.ts';

/** @returns null if it does not exist or belongs to another user */
export async function readableArtifact(context: GraphqlContext, id: string): Promise<Artifact | null> {
  const artifact = await context.artifacts.findById(id);
  return artifact && (await projectOf(context, artifact.projectId)) ? artifact : null;
}

/** Whoever may read a project may write to it. @throws ApiError 404 */
export async function writableArtifact(context: GraphqlContext, id: string): Promise<Artifact> {
  const artifact = await readableArtifact(context, id);
  if (!artifact) throw missing(id);
  return artifact;
}

export function missing(id: string) {
  return notFound(`There is no artifact with the id ${id}.`);
}
