import type { Artifact, Collection } from '../../../services/artifacts/artifacts.ts';
import { type GraphqlContext, globalId, type ProjectNode } from '../context.ts';

export type ArtifactNode = ReturnType<typeof artifactNode>;
export type CollectionNode = ReturnType<typeof collectionNode>;
export type MembershipNode = ReturnType<typeof membershipNode>;
export type TypeNode = ReturnType<typeof typeNode>;

/** Artifacts are kept until they are deleted, which the clients write as an inherited time to live of -2. */
const keptForever = { ttlDurationSeconds: -2, ttlIsInherited: true };

export function artifactNode(artifact: Artifact) {
  return {
    artifact,
    id: artifact.id,
    state: artifact.state.toUpperCase(),
    artifactType: typeNode(artifact.projectId, { name: artifact.type, createdAt: artifact.createdAt }),
    versionIndex: artifact.versionIndex,
    digest: artifact.digest,
    digestAlgorithm: 'MANIFEST_MD5',
    description: artifact.description,
    metadata: artifact.metadata,
    ...keptForever,
    tags: artifact.tags.map((name) => ({ id: globalId('Tag', name), name })),
    aliases: artifact.aliases.map((alias) => ({
      ...aliasNode(artifact.collectionId, alias),
      artifactCollection: (_args: unknown, { artifacts }: GraphqlContext) =>
        artifacts.collection(artifact.projectId, artifact.name).then((found) => found && collectionNode(found)),
    })),
    historyStep: artifact.historyStep,
    size: artifact.sizeBytes,
    commitHash: null,
    fileCount: artifact.fileCount,
    createdAt: artifact.createdAt.toISOString(),
    updatedAt: artifact.updatedAt.toISOString(),
  };
}

export function membershipNode(version: Artifact) {
  return {
    version,
    id: version.id,
    versionIndex: version.versionIndex,
    createdAt: version.createdAt.toISOString(),
    aliases: version.aliases.map((alias) => aliasNode(version.collectionId, alias)),
    artifact: artifactNode(version),
  };
}

export function collectionNode(collection: Collection) {
  return {
    __typename: 'ArtifactSequence',
    collection,
    id: collection.id,
    name: collection.name,
    description: null,
    state: 'READY',
    createdAt: collection.createdAt.toISOString(),
    updatedAt: collection.createdAt.toISOString(),
    defaultArtifactType: typeNode(collection.projectId, { name: collection.type, createdAt: collection.createdAt }),
    tags: { edges: [] },
    digestAlgorithm: 'MANIFEST_MD5',
  };
}

export function aliasNode(collectionId: string, alias: string) {
  return { id: globalId('ArtifactAlias', `${collectionId}:${alias}`), alias };
}

export function typeNode(projectId: ProjectNode['id'], { name, createdAt }: { name: string; createdAt: Date }) {
  const id = globalId('ArtifactType', `${projectId}:${name}`);
  return { id, projectId, name, description: null, createdAt: createdAt.toISOString() };
}
