import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ProjectId } from '../../contract/ids.ts';
import { bytesDigest } from '../../domain/digest/digest.ts';
import { DamagedBlobError } from '../../store/blobs/damaged-blob-error.ts';
import { fileKey } from '../../store/blobs/file-key.ts';
import { isSound } from '../../store/blobs/is-sound.ts';
import { hasFile } from '../../store/postgres/files/has-file.ts';
import { saveFile } from '../../store/postgres/files/save-file.ts';
import { sumFiles } from '../../store/postgres/files/sum-files.ts';
import { conflict, notFound } from '../../util/failures.ts';
import type { Deps } from '../deps.ts';
import { openUploads } from './uploads.ts';

/** Operations on the files of a project. */
export type Files = {
  /** @throws Failure if the sender computed another digest */
  store(file: {
    projectId: ProjectId;
    name: string;
    bytes: Uint8Array;
    expectedDigest?: string | null;
  }): Promise<{ digest: string }>;
  /** Registers an upload whose file has not arrived yet, so that `read` waits for it. */
  track<Result>(upload: Promise<Result>): Promise<Result>;
  /**
   * The bytes of a file, verified as they are read (`store/blobs/verified-blobs.ts`). Waits briefly for a file that may still be
   * uploading, because clients publish an object before the files that it names.
   * @throws Failure; DamagedFileError
   */
  read(file: { projectId: ProjectId; digest: string }): Promise<{ stream: Readable; sizeBytes: number }>;
  /** The text of a stored file; null if it is not stored. @throws DamagedFileError */
  readText(file: { projectId: ProjectId; digest: string }): Promise<string | null>;
  /** The bytes of all files of a project. */
  sumBytes(projectId: ProjectId): Promise<number>;
};

/** The stored bytes of a file are missing or damaged. The cause names their key in the blob store. */
export class DamagedFileError extends Error {
  constructor(digest: string, cause: Error) {
    super(`The stored file ${digest} is damaged`, { cause });
  }
}

export function openFiles({ postgres, blobs, peers }: Pick<Deps, 'postgres' | 'blobs' | 'peers'>): Files {
  const uploads = openUploads(peers);

  async function readBytes(projectId: ProjectId, digest: string) {
    const key = fileKey(projectId, digest);
    try {
      const found = await blobs.get(key);
      if (found === null) throw new DamagedBlobError(key, 'it is gone');
      return found;
    } catch (error) {
      throw error instanceof DamagedBlobError ? new DamagedFileError(digest, error) : error;
    }
  }

  return {
    track: (upload) => uploads.track(upload),

    async store({ projectId, name, bytes, expectedDigest }) {
      const digest = bytesDigest(bytes);
      if (expectedDigest && expectedDigest !== digest) {
        throw conflict(`Client file digest ${expectedDigest} != server digest ${digest}`);
      }
      // The bytes are stored first, so a recorded file can be read. A damaged file is repaired by its next upload.
      const key = fileKey(projectId, digest);
      const isStored = (await hasFile(postgres, projectId, digest)) && (await isSound(blobs, key));
      if (!isStored) await blobs.put(key, bytes);
      await saveFile(postgres, { projectId, digest, name, sizeBytes: bytes.length });
      return { digest };
    },

    async read({ projectId, digest }) {
      const askedAt = performance.now();
      while (!(await hasFile(postgres, projectId, digest))) {
        if (!(await uploads.arrival(askedAt))) throw notFound(`File with digest ${digest} not found`);
      }
      return readBytes(projectId, digest);
    },

    async readText({ projectId, digest }) {
      if (!(await hasFile(postgres, projectId, digest))) return null;
      const { stream } = await readBytes(projectId, digest);
      return text(stream);
    },

    sumBytes: (projectId) => sumFiles(postgres, projectId),
  };
}
