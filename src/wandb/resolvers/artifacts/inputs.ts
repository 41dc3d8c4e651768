import { badRequest } from '../../../contract/errors.ts';
import type { Artifact } from '../../../services/artifacts/artifacts.ts';
import { type GraphqlContext, projectOf } from '../context.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';

export type SentTag = { tagName: string; tagCategoryName?: string | null; attributes?: string | null };
export type SentAlias = {
  alias: string;
  artifactCollectionName: string;
  entityName?: string | null;
  projectName?: string | null;
};

export function tagNames(tags: SentTag[] | null | undefined): string[] {
  return (tags ?? []).map(({ tagName, tagCategoryName, attributes }) => {
    refuseUnsupported('A tag', { tagCategoryName, attributes });
    return tagName;
  });
}

/** Clients write "as long as its collection" and "forever" as negative numbers, which is how long artifacts are kept. */
export function timeToLive({ ttlDurationSeconds }: { ttlDurationSeconds?: number | null }): number | null {
  return (ttlDurationSeconds ?? 0) > 0 ? ttlDurationSeconds! : null;
}

/** @throws ApiError if an alias is for another collection: versions are in one only */
export async function aliasesFor(
  context: GraphqlContext,
  artifact: Artifact,
  aliases: SentAlias[] | null | undefined,
): Promise<string[]> {
  for (const { artifactCollectionName, entityName, projectName } of aliases ?? []) {
    refuseOtherCollection(artifact.name, artifactCollectionName);
    await refuseOtherProject(context, artifact, { entityName, projectName });
  }
  return (aliases ?? []).map(({ alias }) => alias);
}

export function refuseOtherCollection(name: string, other: string): void {
  if (other !== name) throw badRequest(`The artifact is a version of ${name}, not of ${other}.`);
}

export async function refuseOtherProject(
  context: GraphqlContext,
  { projectId }: Artifact,
  { entityName, projectName }: { entityName?: string | null; projectName?: string | null },
): Promise<void> {
  const own = await projectOf(context, projectId);
  const isOwn = own && (entityName ?? own.entityName) === own.entityName && (projectName ?? own.name) === own.name;
  if (!isOwn) throw badRequest(`The artifact is not in the project ${entityName}/${projectName}.`);
}
