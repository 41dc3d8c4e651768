import { badRequest } from '../../../contract/errors.ts';
import { md5OfDigest } from '../../../domain/artifacts/manifest.ts';
import type { Artifact } from '../../../services/artifacts/artifacts.ts';
import { type GraphqlContext, type Input, spend, writeProject } from '../context.ts';
import { refuseUnsupported } from '../refuse-unsupported.ts';
import { runByName } from '../runs/access.ts';
import { writableArtifact } from './access.ts';
import { uploadOf } from './files.ts';
import { refuseOtherCollection, type SentAlias, type SentTag, tagNames, timeToLive } from './inputs.ts';
import { artifactNode } from './nodes.ts';

type CreateInput = {
  entityName: string;
  projectName: string;
  runName?: string | null;
  artifactTypeName: string;
  artifactCollectionName?: string | null;
  artifactCollectionNames?: string[] | null;
  digest: string;
  digestAlgorithm?: string | null;
  description?: string | null;
  aliases?: SentAlias[] | null;
  tags?: SentTag[] | null;
  ttlDurationSeconds?: number | null;
  labels?: string | null;
  storageRegion?: string | null;
  distributedID?: string | null;
  sequenceClientID?: string | null;
  metadata?: string | null;
  historyStep?: number | null;
  enableDigestDeduplication?: boolean | null;
  clientID?: string | null;
};
type ManifestInput = {
  artifactID: string;
  name: string;
  digest: string;
  type?: string | null;
  baseArtifactID?: string | null;
  entityName: string;
  projectName: string;
  runName?: string | null;
};
type FilesInput = {
  artifactFiles: {
    artifactID: string;
    name: string;
    md5: string;
    artifactManifestID?: string | null;
    mimetype?: string | null;
    uploadPartsInput?: { partNumber: number; hexMD5: string }[] | null;
  }[];
  storageLayout?: string | null;
  cloudRegionID?: string | null;
};

/** How a client logs an artifact: it creates a version, uploads its manifest and files, and commits it. */
export const artifactCreation = {
  Mutation: {
    async createArtifact(_root: unknown, { input }: Input<CreateInput>, context: GraphqlContext) {
      const name = input.artifactCollectionName || input.artifactCollectionNames?.[0];
      if (!name) throw badRequest('The artifact needs a name (artifactCollectionName).');
      for (const each of [...(input.artifactCollectionNames ?? []), ...collectionsOf(input)]) {
        refuseOtherCollection(name, each);
      }
      const { labels, storageRegion, distributedID, sequenceClientID: _byName, digestAlgorithm: _onlyOne } = input;
      const ttlDurationSeconds = timeToLive(input);
      refuseUnsupported('An artifact', { labels, storageRegion, distributedID, ttlDurationSeconds });
      const project = await writeProject(context, { name: input.projectName, entityName: input.entityName });
      const artifact = await context.artifacts.create({
        projectId: project.id,
        name,
        type: input.artifactTypeName,
        digest: input.digest,
        description: input.description ?? null,
        metadata: input.metadata ?? null,
        tags: tagNames(input.tags),
        // The server itself gives `latest` to the newest version.
        aliases: (input.aliases ?? []).map(({ alias }) => alias).filter((alias) => alias !== 'latest'),
        historyStep: input.historyStep ?? null,
        runId: (await runByName(context, input))?.id ?? null,
        clientId: input.clientID ?? null,
        reuses: input.enableDigestDeduplication ?? false,
        createdBy: context.caller.userId,
      });
      return { artifact: artifactNode(artifact) };
    },

    async createArtifactManifest(_root: unknown, { input }: Input<ManifestInput>, context: GraphqlContext) {
      if (input.type && input.type !== 'FULL') {
        throw badRequest(`A manifest of the type ${input.type} is not supported. Log the complete artifact instead.`);
      }
      // The artifact says where its manifest belongs, and a full manifest is not based on another one.
      const { name: _name, entityName: _entity, projectName: _project, runName: _run, baseArtifactID: _base } = input;
      const artifact = await writableArtifact(context, input.artifactID);
      return { artifactManifest: manifestUpload(context, artifact, input.digest) };
    },
    async updateArtifactManifest(
      _root: unknown,
      { input }: Input<{ artifactManifestID: string; digest?: string | null; baseArtifactID?: string | null }>,
      context: GraphqlContext,
    ) {
      const { baseArtifactID: _base } = input; // only incremental manifests are based on another one
      const artifact = await writableArtifact(context, input.artifactManifestID);
      return { artifactManifest: manifestUpload(context, artifact, input.digest ?? '') };
    },
    async createArtifactFiles(_root: unknown, { input }: Input<FilesInput>, context: GraphqlContext) {
      // Both layouts name the same addresses.
      const { storageLayout: _any, cloudRegionID } = input;
      refuseUnsupported('A file', { cloudRegionID });
      spend(context, input.artifactFiles.length);
      const artifacts = new Map<string, Artifact>();
      const nodes = [];
      for (const { artifactID, name, md5, ...more } of input.artifactFiles) {
        // A file has no type of its own, and is uploaded whole even if a client offers parts.
        const { mimetype: _type, artifactManifestID: _manifest, uploadPartsInput: _parts } = more;
        const artifact = artifacts.get(artifactID) ?? (await writableArtifact(context, artifactID));
        artifacts.set(artifactID, artifact);
        nodes.push({ ...(await uploadOf(context, artifact, name, md5)), artifact: artifactNode(artifact) });
      }
      const pageInfo = { hasNextPage: false, endCursor: null };
      return { files: { edges: nodes.map((node) => ({ node })), pageInfo, totalCount: nodes.length } };
    },
    async commitArtifact(_root: unknown, { input }: Input<{ artifactID: string }>, context: GraphqlContext) {
      const artifact = await writableArtifact(context, input.artifactID);
      return { artifact: artifactNode(await context.artifacts.commit(artifact)) };
    },
  },
};

function collectionsOf({ aliases }: CreateInput): string[] {
  return (aliases ?? []).map(({ artifactCollectionName }) => artifactCollectionName);
}

function manifestUpload(context: GraphqlContext, artifact: Artifact, digest: string) {
  if (artifact.state !== 'pending') throw badRequest('The artifact is committed: its files no longer change.');
  const key = context.artifacts.manifestKey(artifact);
  const { signedBlobs, address } = context;
  const uploadUrl = address + signedBlobs.address({ method: 'PUT', key, md5: md5OfDigest(digest) });
  const file = { id: artifact.id, uploadUrl, uploadHeaders: [] };
  return { id: artifact.id, digest, file };
}
