import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { newId, type ProjectId } from '../../contract/ids.ts';
import { type ManifestEntry, md5OfDigest, readManifest } from '../../domain/artifacts/manifest.ts';
import { aliasFault, collectionNameFault } from '../../domain/artifacts/names.ts';
import { listAliases, removeAliases, setAliases } from '../../store/postgres/artifacts/aliases.ts';
import { type Artifact, findArtifact } from '../../store/postgres/artifacts/artifact.ts';
import {
  type ArtifactChanges,
  addArtifact,
  changeArtifact,
  commitArtifact,
  deleteArtifacts,
  recordUse,
  runsThatUsed,
} from '../../store/postgres/artifacts/change-artifact.ts';
import {
  type Collection,
  ensureCollection,
  findCollection,
  listCollections,
  listTypes,
} from '../../store/postgres/artifacts/collections.ts';
import {
  addDeletedBlobs,
  findDeletedBlobs,
  keepBlobs,
  lockBlobs,
} from '../../store/postgres/artifacts/deleted-blobs.ts';
import { type ArtifactFile, findBlobKey, findFile, listFiles } from '../../store/postgres/artifacts/files.ts';
import {
  type ArtifactPage,
  artifactsOfRun,
  countVersions,
  findByClientId,
  findByDigest,
  findVersion,
  listVersions,
} from '../../store/postgres/artifacts/find-artifacts.ts';
import { adoptCheckpoint } from '../../store/postgres/training/adopt-checkpoint.ts';
import { stepOfCheckpoint } from '../../store/postgres/training/checkpoints.ts';
import { conflict, invalidInput, notFound, unacceptable } from '../../util/failures.ts';
import { parsePlain } from '../../util/json/parse.ts';
import type { Deps } from '../deps.ts';
import { deleteBlobs } from '../training/delete-blobs.ts';
import { prepareAdoption } from '../training/prepare-adoption.ts';
import { artifactKeys } from './artifact-keys.ts';
import { emptyBlobs, usableKeys } from './deleted-blobs.ts';

export type { Artifact, ArtifactFile, Collection };

/** `version` is an alias, `latest`, or a number such as `v3`. */
type ArtifactName = { projectId: ProjectId; name: string; version: string };

type ArtifactDraft = {
  projectId: ProjectId;
  name: string;
  type: string;
  digest: string;
  description: string | null;
  /** A JSON object. */
  metadata: string | null;
  tags: string[];
  aliases: string[];
  historyStep: number | null;
  runId: string | null;
  /** Repeated creations with one id make one artifact. */
  clientId: string | null;
  /** Whether a committed version with the same digest is returned instead of a new one. */
  reuses: boolean;
  createdBy: string;
};

type FilePlace = {
  key: string;
  /** Differs from the key if a client writes to the bucket itself. */
  uploadKey: string;
  md5: string;
  isStored: boolean;
};

/** Files with names and versions, as the wandb clients store them. */
export type Artifacts = {
  /** A committed version. */
  find(name: ArtifactName): Promise<Artifact | null>;
  /** A file of a committed version; null if there is no such version or file. */
  open(file: ArtifactName & { path: string }): Promise<{ stream: Readable; sizeBytes: number } | null>;
  /** The files of a version by path: all, those with the given paths, or those after a path. */
  files(
    artifact: Artifact,
    page?: { paths?: string[] | null; afterPath?: string | null; limit?: number },
  ): Promise<ArtifactFile[]>;

  /** The key of a file of a collection's versions by its MD5 in hexadecimal digits; null if there is none. */
  keyOfFile(file: { projectId: ProjectId; name: string; md5: string }): Promise<string | null>;

  findById(id: string): Promise<Artifact | null>;
  findByClientId(clientId: string): Promise<Artifact[]>;
  /** Adds a version, which is pending until it is committed. @throws Failure */
  create(draft: ArtifactDraft): Promise<Artifact>;
  /** Where the manifest of a version is to be uploaded. */
  manifestKey(artifact: Artifact): string;
  /** Where a file is to be stored and uploaded, and whether it is stored already. @throws Failure for a malformed digest */
  placeFile(artifact: Artifact, digest: string): Promise<FilePlace>;
  /** Commits a version whose manifest and files are uploaded. @throws Failure that names what is missing */
  commit(artifact: Artifact): Promise<Artifact>;
  change(id: string, changes: ArtifactChanges): Promise<Artifact | null>;
  addAliases(artifact: Artifact, aliases: string[]): Promise<void>;
  removeAliases(artifact: Artifact, aliases: string[]): Promise<void>;
  /** Deletes a version with the files that no other version has. @throws Failure for a checkpoint */
  delete(artifact: Artifact, options: { deletesAliases: boolean }): Promise<void>;

  collectionById(id: string): Promise<Collection | null>;
  collection(projectId: ProjectId, name: string): Promise<Collection | null>;
  collections(page: {
    projectId: ProjectId;
    type: string | null;
    afterName: string | null;
    limit: number;
  }): Promise<Collection[]>;
  /** The types of a project's artifacts, each with the age of its oldest collection. */
  types(projectId: ProjectId): Promise<{ name: string; createdAt: Date }[]>;
  versions(collection: Collection, page: ArtifactPage): Promise<Artifact[]>;
  countVersions(collection: Collection): Promise<number>;
  ofRun(runId: string, how: 'logged' | 'used'): Promise<Artifact[]>;
  aliasesOf(collection: Collection): Promise<string[]>;
  recordUse(artifact: Artifact, runId: string): Promise<void>;
  /** The ids of the runs that used it. */
  usersOf(artifact: Artifact): Promise<string[]>;
};

/** A manifest is parsed as a whole. */
const manifestBytesMax = 16 * 1024 * 1024;

export function openArtifacts(
  { postgres, blobs, directBlobs, localFiles }: Pick<Deps, 'postgres' | 'blobs' | 'directBlobs' | 'localFiles'>,
  { fileBytesMax }: { fileBytesMax: number },
): Artifacts {
  async function create(draft: ArtifactDraft): Promise<Artifact> {
    const { projectId, name, type, clientId } = draft;
    refuseFault(collectionNameFault(name));
    for (const alias of draft.aliases) refuseFault(aliasFault(alias));
    requireJsonObject(draft.metadata);
    const collection = await ensureCollection(postgres, { projectId, name, type });
    if (collection.type !== type) throw conflict(`The artifact ${name} has the type ${collection.type}, not ${type}.`);
    const same = draft.reuses ? await findByDigest(postgres, collection.id, draft.digest) : null;
    if (same) {
      await setAliases(postgres, same, draft.aliases);
      return (await findArtifact(postgres, same.id))!;
    }
    const id = newId();
    const isNew = await addArtifact(postgres, {
      ...draft,
      id,
      collectionId: collection.id,
      wantedAliases: draft.aliases,
    });
    if (isNew) return (await findArtifact(postgres, id))!;
    const earlier = await findByClientId(postgres, clientId!);
    return earlier.find((each) => each.collectionId === collection.id)!;
  }

  async function commit(artifact: Artifact): Promise<Artifact> {
    if (artifact.state === 'pending') {
      const files = await storedFiles(artifact, await readEntries(artifact));
      const adopted = await prepareAdoption({ postgres, blobs, localFiles }, artifact, files);
      await postgres.db.transaction().execute(async (db) => {
        await keepBlobs({ db }, artifact.projectId);
        await refuseDeleted({ db }, artifact, files);
        const isCommitted = await commitArtifact({ db }, artifact, files);
        if (adopted && isCommitted) await adoptCheckpoint({ db }, adopted);
      });
      await deleteUploads(artifact);
    }
    const committed = await findArtifact(postgres, artifact.id);
    if (!committed) throw notFound(`The artifact ${artifact.name} has just been deleted.`);
    return committed;
  }

  async function readEntries({ projectId, id, name }: Artifact): Promise<ManifestEntry[]> {
    const key = artifactKeys.manifest(projectId, id);
    const found = await blobs.get(key);
    if (!found) throw unacceptable(`The manifest of the artifact ${name} is not uploaded yet.`);
    if (found.sizeBytes > manifestBytesMax) {
      found.stream.destroy();
      throw unacceptable(
        `The manifest of the artifact ${name} has ${found.sizeBytes} bytes; at most ${manifestBytesMax} are possible.`,
      );
    }
    return readManifest(await text(found.stream));
  }

  async function storedFiles(artifact: Artifact, entries: ManifestEntry[]): Promise<ArtifactFile[]> {
    const files: ArtifactFile[] = [];
    const keyOf = (digest: string) => artifactKeys.file(artifact.projectId, md5OfDigest(digest)!);
    const stored = entries.filter(({ reference }) => reference === null).map(({ digest }) => keyOf(digest));
    const usable = await usableKeys({ postgres }, stored);
    for (const { path, digest, sizeBytes, reference } of entries) {
      if (reference !== null) files.push({ path, digest, sizeBytes, blobKey: null, reference });
      else {
        const key = usable.get(keyOf(digest))!;
        const md5 = md5OfDigest(digest)!;
        const size = (await blobs.size(key)) ?? (await acceptUpload(artifact, { path, md5, sizeBytes, key }));
        if (size === null) throw unacceptable(`The file ${path} of the artifact ${artifact.name} is not uploaded yet.`);
        if (size !== sizeBytes) {
          throw unacceptable(`The file ${path} has ${size} bytes, not ${sizeBytes} as listed in the manifest.`);
        }
        files.push({ path, digest, sizeBytes, blobKey: key });
      }
    }
    return files;
  }

  /**
   * Takes a file that a client has written to the bucket itself.
   * @returns its size; null if there is none. @throws Failure if it is another file
   */
  async function acceptUpload(
    { projectId, id }: Artifact,
    { path, md5, sizeBytes, key }: { path: string; md5: string; sizeBytes: number; key: string },
  ): Promise<number | null> {
    const from = artifactKeys.uploaded(projectId, id, md5);
    const size = directBlobs && (await blobs.size(from));
    if (directBlobs === null || size === null) return null;
    if (size > fileBytesMax) {
      throw unacceptable(`The file ${path} has ${size} bytes; at most ${fileBytesMax} are possible.`);
    }
    if (size !== sizeBytes) return size;
    if (await directBlobs.accept({ from, to: key, md5 })) return size;
    throw unacceptable(`The uploaded bytes of the file ${path} do not have the MD5 ${md5}.`);
  }

  async function deleteUploads({ projectId, id }: Artifact): Promise<void> {
    if (directBlobs) await deleteBlobs(blobs, artifactKeys.uploads(projectId, id));
  }

  return {
    find: (name) => findVersion(postgres, name),

    async open({ path, ...name }) {
      const artifact = await findVersion(postgres, name);
      const file = artifact && (await findFile(postgres, artifact.id, path));
      if (!file) return null;
      if (file.blobKey === null)
        throw unacceptable(`The file ${path} of ${name.name} is a reference, so heddle does not store it.`);
      return blobs.get(file.blobKey);
    },

    files: ({ id }, { paths = null, afterPath = null, limit = Number.MAX_SAFE_INTEGER } = {}) =>
      listFiles(postgres, { artifactId: id, paths, afterPath, limit }),

    keyOfFile: ({ md5, ...collection }) =>
      findBlobKey(postgres, { ...collection, digest: Buffer.from(md5, 'hex').toString('base64') }),

    findById: (id) => findArtifact(postgres, id),
    findByClientId: (clientId) => findByClientId(postgres, clientId),
    create,
    manifestKey: ({ projectId, id }) => artifactKeys.manifest(projectId, id),

    async placeFile({ projectId, id }, digest) {
      const md5 = md5OfDigest(digest);
      if (md5 === null)
        throw invalidInput(`A file's digest must be its MD5 in base64 (found ${JSON.stringify(digest)}).`);
      const contentKey = artifactKeys.file(projectId, md5);
      const key = (await usableKeys({ postgres }, [contentKey])).get(contentKey)!;
      const uploadKey = directBlobs ? artifactKeys.uploaded(projectId, id, md5) : key;
      return { key, uploadKey, md5, isStored: (await blobs.size(key)) !== null };
    },

    commit,

    async change(id, changes) {
      requireJsonObject(changes.metadata ?? null);
      return changeArtifact(postgres, id, changes);
    },

    async addAliases(artifact, aliases) {
      for (const alias of aliases) refuseFault(aliasFault(alias));
      if (artifact.state === 'pending') throw conflict('An artifact has aliases once it is committed.');
      await setAliases(postgres, artifact, aliases);
    },

    removeAliases: ({ id }, aliases) => removeAliases(postgres, id, aliases),

    async delete(found, { deletesAliases }) {
      const { id, projectId } = found;
      const manifest = artifactKeys.manifest(projectId, id);
      const unused = await postgres.db.transaction().execute(async (db) => {
        await lockBlobs({ db }, [projectId]);
        const artifact = await findArtifact({ db }, id);
        if (!artifact) return []; // another request was faster
        if (!deletesAliases) refuseAliases(artifact);
        await refuseCheckpoint({ db }, artifact);
        const keys = await deleteArtifacts({ db }, [id]);
        await addDeletedBlobs({ db }, [manifest]);
        return [...keys, manifest];
      });
      await emptyBlobs({ blobs }, unused);
      await deleteUploads(found);
    },

    collectionById: (id) => findCollection(postgres, { id }),
    collection: (projectId, name) => findCollection(postgres, { projectId, name }),
    collections: (page) => listCollections(postgres, page),
    types: (projectId) => listTypes(postgres, projectId),
    versions: ({ id }, page) => listVersions(postgres, id, page),
    countVersions: ({ id }) => countVersions(postgres, id),
    ofRun: (runId, how) => artifactsOfRun(postgres, runId, how),
    aliasesOf: ({ id }) => listAliases(postgres, id),
    recordUse: ({ id }, runId) => recordUse(postgres, id, runId),
    usersOf: ({ id }) => runsThatUsed(postgres, id),
  };
}

/** Call it in a transaction that keeps blobs. */
async function refuseDeleted(
  postgres: Pick<Deps['postgres'], 'db'>,
  { name }: Artifact,
  files: ArtifactFile[],
): Promise<void> {
  const deleted = await findDeletedBlobs(
    postgres,
    files.flatMap(({ blobKey }) => blobKey ?? []),
  );
  const file = files.find(({ blobKey }) => blobKey !== null && deleted.has(blobKey));
  if (file)
    throw unacceptable(
      `The file ${file.path} of the artifact ${name} has just been deleted with another version. Upload it again.`,
    );
}

function refuseAliases({ name, aliases }: Artifact): void {
  const own = aliases.filter((alias) => alias !== 'latest');
  if (own.length === 0) return;
  throw conflict(`The artifact ${name} has the aliases ${own.join(', ')}. Delete the aliases with it or before it.`);
}

async function refuseCheckpoint(postgres: Pick<Deps['postgres'], 'db'>, { id, name }: Artifact): Promise<void> {
  const step = await stepOfCheckpoint(postgres, id);
  if (step === null) return;
  throw conflict(`This version of ${name} is the checkpoint of step ${step}. Delete the checkpoint instead.`);
}

function requireJsonObject(metadata: string | null): void {
  if (metadata === null) return;
  try {
    const value: unknown = parsePlain(metadata);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
  } catch {
    // handled below
  }
  throw invalidInput('The metadata of an artifact must be a JSON object.');
}

function refuseFault(fault: string | null): void {
  if (fault) throw invalidInput(fault);
}
