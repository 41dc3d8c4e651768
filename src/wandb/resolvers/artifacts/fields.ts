import { badRequest } from '../../../contract/errors.ts';
import { splitArtifactName } from '../../../domain/artifacts/names.ts';
import {
  afterCursor,
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
type ListArguments = PageArguments & { filters?: string | null; order?: string | null };
type TrackedName = Named & { enableTracking?: boolean | null };
type ManifestEntry = {
  name: string;
  digest: string;
  size?: number | null;
  birthArtifactID?: string | null;
  ref?: string | null;
  extra?: string | null;
};
type EntriesArguments = PageArguments & {
  entries?: ManifestEntry[] | null;
  storageLayout?: string | null;
  manifestVersion?: string | null;
  storageRegion?: string | null;
};

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
    artifactCollections: ({ id }: ProjectNode, args: ListArguments, context: GraphqlContext) =>
      collectionPage(context, id, null, args),
    async artifactType({ id }: ProjectNode, { name }: Named, { artifacts }: GraphqlContext) {
      const type = (await artifacts.types(id)).find((each) => each.name === name);
      return type ? typeNode(id, type) : null;
    },
    async artifactTypes({ id }: ProjectNode, page: PageArguments, context: GraphqlContext) {
      const limit = pageLimit(context, page);
      const types = afterCursor(await context.artifacts.types(id), page, ({ name }) => name);
      return connection(types, limit, {
        toEdge: (type) => ({ node: typeNode(id, type) }),
        cursorOf: ({ name }) => name,
      });
    },
  },

  ArtifactType: {
    artifact: ({ projectId }: TypeNode, args: Named, context: GraphqlContext) =>
      findVersion({ id: projectId }, args, context),
    artifactCollection: ({ projectId, name: type }: TypeNode, { name }: Named, context: GraphqlContext) =>
      findCollection(context, projectId, name, type),
    artifactCollections: ({ projectId, name }: TypeNode, args: ListArguments, context: GraphqlContext) =>
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
    filesByManifestEntries(
      { artifact }: ArtifactNode,
      { entries, storageLayout: _layout, manifestVersion: _version, storageRegion: _region, ...page }: EntriesArguments,
      context: GraphqlContext,
    ) {
      const paths = entries?.map(pathOf) ?? null;
      return filePage(context, artifact, paths, { ...page, first: page.first ?? 1000 });
    },
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
    async aliases({ collection }: CollectionNode, page: PageArguments, context: GraphqlContext) {
      const limit = pageLimit(context, { ...page, first: page.first ?? 1000 });
      const aliases = afterCursor(await context.artifacts.aliasesOf(collection), page, (alias) => alias);
      return connection(aliases, limit, {
        toEdge: (alias) => ({ node: aliasNode(collection.id, alias) }),
        cursorOf: (alias) => alias,
      });
    },
    async artifacts({ collection }: CollectionNode, args: ListArguments, context: GraphqlContext) {
      const { artifacts } = context;
      refuseFilters(args, ['-created_at', '-createdAt', '-versionIndex', '-version_index']);
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

/** The name alone says which file of an artifact an entry is. */
function pathOf({
  name,
  digest: _digest,
  size: _size,
  birthArtifactID: _birth,
  ref: _ref,
  extra: _extra,
}: ManifestEntry) {
  return name;
}

/** Only committed versions are listed, which is what clients filter by. */
const committed = new Set(['{}', 'null', '{"state":"COMMITTED"}']);

/** A filter or an order that was ignored would list the wrong artifacts. */
function refuseFilters({ filters, order }: ListArguments, known: string[]): void {
  if (filters && !committed.has(filters.replaceAll(' ', ''))) {
    throw badRequest(`Artifacts cannot be filtered (found ${filters}).`);
  }
  if (order && !known.includes(order)) {
    throw badRequest(`Artifacts cannot be ordered by ${order}. The orders are ${known.join(', ')}.`);
  }
}

/** A use is recorded when a client says so, not when it finds the artifact. */
async function findVersion(
  { id }: Pick<ProjectNode, 'id'>,
  { name, enableTracking: _tracking }: TrackedName,
  { artifacts }: GraphqlContext,
) {
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
  args: ListArguments,
) {
  refuseFilters(args, ['name', '+name']);
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
