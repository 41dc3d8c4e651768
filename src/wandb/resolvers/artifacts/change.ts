import { badRequest } from '../../../contract/errors.ts';
import type { Artifact } from '../../../services/artifacts/artifacts.ts';
import type { GraphqlContext, Input } from '../context.ts';
import { runByName } from '../runs/access.ts';
import { missing, writableArtifact } from './access.ts';
import { artifactNode } from './nodes.ts';

type Tagged = { tagName: string };
type UpdateInput = {
  artifactID: string;
  description?: string | null;
  metadata?: string | null;
  tagsToAdd?: Tagged[] | null;
  tagsToDelete?: Tagged[] | null;
  aliases?: { alias: string }[] | null;
};
type AliasesInput = { artifactID: string; aliases: { alias: string; artifactCollectionName: string }[] };
type UseInput = { artifactID: string; entityName: string; projectName: string; runName: string };

/** What a client does with an artifact that exists. */
export const artifactChanges = {
  Mutation: {
    async useArtifact(_root: unknown, { input }: Input<UseInput>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      const run = await runByName(context, input);
      if (run) await context.artifacts.recordUse(artifact, run.id);
      return { artifact: artifactNode(artifact) };
    },
    async updateArtifact(_root: unknown, { input }: Input<UpdateInput>, context: GraphqlContext) {
      const { id } = await writableArtifact(context, input.artifactID);
      const changed = await context.artifacts.change(id, {
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
        addedTags: (input.tagsToAdd ?? []).map(({ tagName }) => tagName),
        removedTags: (input.tagsToDelete ?? []).map(({ tagName }) => tagName),
      });
      if (!changed) throw missing(id);
      const added = (input.aliases ?? []).map(({ alias }) => alias);
      if (added.length > 0) await context.artifacts.addAliases(changed, added);
      return { artifact: artifactNode((await context.artifacts.findById(id)) ?? changed) };
    },
    async deleteArtifact(
      _root: unknown,
      { input }: Input<{ artifactID: string; deleteAliases?: boolean | null }>,
      context: GraphqlContext,
    ) {
      const artifact = await writableArtifact(context, input.artifactID);
      await context.artifacts.delete(artifact, { deletesAliases: input.deleteAliases ?? false });
      return { artifact: artifactNode(artifact) };
    },
    async addAliases(_root: unknown, { input }: Input<AliasesInput>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      await context.artifacts.addAliases(artifact, aliasesFor(artifact, input));
      return { success: true };
    },
    async deleteAliases(_root: unknown, { input }: Input<AliasesInput>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      await context.artifacts.removeAliases(artifact, aliasesFor(artifact, input));
      return { success: true };
    },
  },
};

/** @throws ApiError if an alias is for another collection: versions are in one only */
function aliasesFor(artifact: Artifact, { aliases }: AliasesInput): string[] {
  const other = aliases.find(({ artifactCollectionName }) => artifactCollectionName !== artifact.name);
  if (other) throw badRequest(`The artifact is a version of ${artifact.name}, not of ${other.artifactCollectionName}.`);
  return aliases.map(({ alias }) => alias);
}
