import { badRequest } from '../../../contract/errors.ts';
import { splitArtifactName } from '../../../domain/artifacts/names.ts';
import {
  connection,
  type GraphqlContext,
  type Named,
  type PageArguments,
  type ProjectNode,
  pageLimit,
  projectOf,
  spend,
} from '../context.ts';
import { runNode } from '../runs/nodes.ts';
import { readableArtifact } from './access.ts';
import { filePage, manifestFile } from './files.ts';
import {
  type ArtifactNode,
  aliasNode,
  artifactNode,
  type CollectionNode,
  collectionNode,
  type MembershipNode,
  membershipNode,
  type TypeNode,
  typeNode,
} from './nodes.ts';

type FilesArguments = PageArguments & { names?: string[] | null };

/** How artifacts, their types and their collections are read. */
export const artifactFields = {
  Query: {
    async artifact(_root: unknown, { id }: { id: string }, context: GraphqlContext) {
      const artifact = await readableArtifact(context, id);
      return artifact && artifactNode(artifact);
    },
    async clientIDMapping(_root: unknown, { clientID }: { clientID: string }, context: GraphqlContext) {
      for (const artifact of await context.artifacts.findByClientId(clientID)) {
        if (await projectOf(context, artifact.projectId)) return { serverID: artifact.id };
      }
      return null;
    },
    async artifactCollection(_root: unknown, { id }: { id: string }, context: GraphqlContext) {
      const collection = await context.artifacts.collectionById(id);
      return collection && (await projectOf(context, collection.projectId)) ? collectionNode(collection) : null;
    },
  },

  Project: {
    artifact: findVersion,
    async artifactCollectionMembership(project: ProjectNode, { name }: Named, { artifacts }: GraphqlContext) {
      const artifact = await artifacts.find({ projectId: project.id, ...splitArtifactName(name) });
      return artifact && membershipNode(artifact);
    },
    artifactCollection: ({ id }: ProjectNode, { name }: Named, context: GraphqlContext) =>
      findCollection(context, id, name, null),
    artifactCollections: ({ id }: ProjectNode, args: PageArguments, context: GraphqlContext) =>
      collectionPage(context, id, null, args),
    async artifactType({ id }: ProjectNode, { name }: Named, { artifacts }: GraphqlContext) {
      const type = (await artifacts.types(id)).find((each) => each.name === name);
      return type ? typeNode(id, type) : null;
    },
    async artifactTypes({ id }: ProjectNode, _args: unknown, { artifacts }: GraphqlContext) {
      const edges = (await artifacts.types(id)).map((type) => ({ node: typeNode(id, type) }));
      return { edges, pageInfo: { hasNextPage: false, endCursor: null } };
    },
  },

  ArtifactType: {
    artifact: ({ projectId }: TypeNode, args: Named, context: GraphqlContext) =>
      findVersion({ id: projectId }, args, context),
    artifactCollection: ({ projectId, name: type }: TypeNode, { name }: Named, context: GraphqlContext) =>
      findCollection(context, projectId, name, type),
    artifactCollections: ({ projectId, name }: TypeNode, args: PageArguments, context: GraphqlContext) =>
      collectionPage(context, projectId, name, args),
  },

  Artifact: {
    artifactSequence: async ({ artifact }: ArtifactNode, _args: unknown, { artifacts }: GraphqlContext) =>
      collectionNode((await artifacts.collection(artifact.projectId, artifact.name))!),
    async createdBy({ artifact }: ArtifactNode, _args: unknown, { runs }: GraphqlContext) {
      const run = artifact.runId === null ? null : await runs.findById(artifact.runId);
      return run && runNode(run);
    },
    async usedBy({ artifact }: ArtifactNode, _args: unknown, context: GraphqlContext) {
      spend(context, 100);
      const edges = [];
      for (const id of await context.artifacts.usersOf(artifact)) {
        const run = await context.runs.findById(id);
        if (run && (await projectOf(context, run.projectId))) edges.push({ node: runNode(run), cursor: id });
      }
      return { edges, pageInfo: { hasNextPage: false, endCursor: null }, totalCount: edges.length };
    },
    currentManifest: ({ artifact }: ArtifactNode, _args: unknown, context: GraphqlContext) =>
      artifact.state === 'committed' ? { id: artifact.id, digest: null, file: manifestFile(context, artifact) } : null,
    files: ({ artifact }: ArtifactNode, args: FilesArguments, context: GraphqlContext) =>
      filePage(context, artifact, args.names?.length ? args.names : null, args),
    filesByManifestEntries: (
      { artifact }: ArtifactNode,
      args: PageArguments & { entries?: { name: string }[] | null },
      context: GraphqlContext,
    ) =>
      filePage(context, artifact, args.entries?.map(({ name }) => name) ?? null, {
        ...args,
        first: args.first ?? 1000,
      }),
    artifactMemberships: ({ artifact }: ArtifactNode) => ({
      edges: artifact.state === 'committed' ? [{ node: membershipNode(artifact) }] : [],
      pageInfo: { hasNextPage: false, endCursor: null },
    }),
  },

  ArtifactCollectionMembership: {
    artifactCollection: async ({ version }: MembershipNode, _args: unknown, { artifacts }: GraphqlContext) =>
      collectionNode((await artifacts.collection(version.projectId, version.name))!),
    files: ({ version }: MembershipNode, args: FilesArguments, context: GraphqlContext) =>
      filePage(context, version, args.names?.length ? args.names : null, args),
  },

  ArtifactSequence: {
    project: ({ collection }: CollectionNode, _args: unknown, context: GraphqlContext) =>
      projectOf(context, collection.projectId),
    latestArtifact: async ({ collection }: CollectionNode, _args: unknown, { artifacts }: GraphqlContext) => {
      const [newest] = await artifacts.versions(collection, { afterIndex: null, limit: 1 });
      return newest ? artifactNode(newest) : null;
    },
    async aliases({ collection }: CollectionNode, _args: unknown, context: GraphqlContext) {
      const { artifacts } = context;
      spend(context, 100);
      const edges = (await artifacts.aliasesOf(collection)).map((alias) => ({ node: aliasNode(collection.id, alias) }));
      return { edges, pageInfo: { hasNextPage: false, endCursor: null } };
    },
    async artifacts({ collection }: CollectionNode, args: PageArguments, context: GraphqlContext) {
      const { artifacts } = context;
      const limit = pageLimit(context, args);
      const afterIndex = args.after ? Number(args.after) : null;
      if (afterIndex !== null && !Number.isSafeInteger(afterIndex)) throw badRequest('The cursor is not valid.');
      return {
        ...connection(await artifacts.versions(collection, { afterIndex, limit: limit + 1 }), limit, {
          toEdge: (artifact) => ({ version: `v${artifact.versionIndex}`, node: artifactNode(artifact) }),
          cursorOf: (artifact) => String(artifact.versionIndex),
        }),
        totalCount: () => artifacts.countVersions(collection),
      };
    },
    async artifactMembership(
      { collection }: CollectionNode,
      { aliasName }: { aliasName: string },
      { artifacts }: GraphqlContext,
    ) {
      const artifact = await artifacts.find({
        projectId: collection.projectId,
        name: collection.name,
        version: aliasName,
      });
      return artifact && membershipNode(artifact);
    },
  },
};

async function findVersion({ id }: Pick<ProjectNode, 'id'>, { name }: Named, { artifacts }: GraphqlContext) {
  const artifact = await artifacts.find({ projectId: id, ...splitArtifactName(name) });
  return artifact && artifactNode(artifact);
}

async function findCollection(
  { artifacts }: GraphqlContext,
  projectId: ProjectNode['id'],
  name: string,
  type: string | null,
) {
  const collection = await artifacts.collection(projectId, name);
  return collection && (type === null || collection.type === type) ? collectionNode(collection) : null;
}

async function collectionPage(
  context: GraphqlContext,
  projectId: ProjectNode['id'],
  type: string | null,
  args: PageArguments,
) {
  const limit = pageLimit(context, args);
  const found = await context.artifacts.collections({
    projectId,
    type,
    afterName: args.after || null,
    limit: limit + 1,
  });
  return {
    ...connection(found, limit, {
      toEdge: (collection) => ({ node: collectionNode(collection) }),
      cursorOf: ({ name }) => name,
    }),
    totalCount: found.length,
  };
}
