import { md5OfDigest } from '../../../domain/artifacts/manifest.ts';
import type { Artifact, ArtifactFile } from '../../../services/artifacts/artifacts.ts';
import { connection, type GraphqlContext, type PageArguments, pageLimit } from '../context.ts';

/** The files of an artifact: all, or those of some paths. */
export async function filePage(
  context: GraphqlContext,
  artifact: Artifact,
  paths: string[] | null,
  args: PageArguments,
) {
  const limit = pageLimit(context, args);
  const found = await context.artifacts.files(artifact, { paths, afterPath: args.after || null, limit: limit + 1 });
  return {
    ...connection(found, limit, {
      toEdge: (file) => ({ node: fileNode(context, artifact, file) }),
      cursorOf: ({ path }) => path,
    }),
    uploadHeaders: [],
    totalCount: paths === null ? artifact.fileCount : found.length,
  };
}

export function manifestFile(context: GraphqlContext, artifact: Artifact) {
  const key = context.artifacts.manifestKey(artifact);
  const directUrl = () => context.signedBlobs.url(context.address, { method: 'GET', key, md5: null });
  return { id: artifact.id, name: 'wandb_manifest.json', directUrl, url: directUrl };
}

/** Where a client uploads a file; the address is null for one that is stored already. */
export async function uploadOf(context: GraphqlContext, artifact: Artifact, name: string, digest: string) {
  const { key, uploadKey, md5, isStored } = await context.artifacts.placeFile(artifact, digest);
  const uploadUrl = () => context.signedBlobs.url(context.address, { method: 'PUT', key: uploadKey, md5 });
  return {
    id: `${artifact.id}/${name}`,
    name,
    displayName: name,
    storagePath: key,
    uploadUrl: isStored ? null : uploadUrl,
    uploadHeaders: [],
    uploadMultipartUrls: null,
    md5: digest,
  };
}

/** A file that is stored elsewhere has the address there; clients expect one of each file. */
function fileNode(
  context: GraphqlContext,
  artifact: Artifact,
  { path, digest, sizeBytes, blobKey, reference }: ArtifactFile,
) {
  const grant = blobKey === null ? null : ({ method: 'GET', key: blobKey, md5: md5OfDigest(digest) } as const);
  const url = () => (grant ? context.signedBlobs.url(context.address, grant) : (reference ?? ''));
  return {
    id: `${artifact.id}/${path}`,
    name: path,
    displayName: path,
    url,
    directUrl: url,
    servedUrl: () => (grant ? context.address + context.signedBlobs.address(grant) : (reference ?? '')),
    storagePath: blobKey,
    sizeBytes,
    mimetype: null,
    updatedAt: artifact.updatedAt.toISOString(),
    digest,
    md5: digest,
  };
}
