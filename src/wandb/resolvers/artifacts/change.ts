import type { GraphqlContext, Input } from '../context.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';
import { runByName } from '../runs/access.ts';
import { missing, writableArtifact } from './access.ts';
import { aliasesFor, refuseOtherProject, type SentAlias, type SentTag, tagNames, timeToLive } from './inputs.ts';
import { artifactNode } from './nodes.ts';

type UpdateInput = {
  artifactID: string;
  description?: string | null;
  metadata?: string | null;
  labels?: string | null;
  ttlDurationSeconds?: number | null;
  tagsToAdd?: SentTag[] | null;
  tagsToDelete?: SentTag[] | null;
  aliases?: SentAlias[] | null;
};
type AliasesInput = { artifactID: string; aliases: SentAlias[] };
type UseInput = {
  artifactID: string;
  entityName: string;
  projectName: string;
  runName: string;
  artifactEntityName?: string | null;
  artifactProjectName?: string | null;
  usedAs?: string | null;
};

/** What a client does with an artifact that exists. */
export const artifactChanges = {
  Mutation: {
    async useArtifact(_root: unknown, { input }: Input<UseInput>, context: GraphqlContext) {
      // Clients send the artifact's own name as `usedAs` unless a program sets it, which they document as without effect.
      const { artifactEntityName, artifactProjectName, usedAs: _withoutEffect } = input;
      const artifact = await writableArtifact(context, input.artifactID);
      await refuseOtherProject(context, artifact, { entityName: artifactEntityName, projectName: artifactProjectName });
      const run = await runByName(context, input);
      if (run) await context.artifacts.recordUse(artifact, run.id);
      return { artifact: artifactNode(artifact) };
    },
    async updateArtifact(_root: unknown, { input }: Input<UpdateInput>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      const { id } = artifact;
      refuseUnsupported('An artifact', { labels: input.labels, ttlDurationSeconds: timeToLive(input) });
      const added = await aliasesFor(context, artifact, input.aliases);
      const changed = await context.artifacts.change(id, {
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(input.metadata === undefined ? {} : { metadata: input.metadata }),
        addedTags: tagNames(input.tagsToAdd),
        removedTags: tagNames(input.tagsToDelete),
      });
      if (!changed) throw missing(id);
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
      await context.artifacts.addAliases(artifact, await aliasesFor(context, artifact, input.aliases));
      return { success: true };
    },
    async deleteAliases(_root: unknown, { input }: Input<AliasesInput>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      await context.artifacts.removeAliases(artifact, await aliasesFor(context, artifact, input.aliases));
      return { success: true };
    },
  },
};
