import type { Readable } from 'node:stream';
import { newId, type ProjectId } from '../contract/ids.ts';
import { openAiId } from '../domain/openai-ids.ts';
import { blobDownload } from '../store/blobs/blob-download.ts';
import {
  addUploadedFile,
  deleteExpiredFiles,
  deleteUploadedFile,
  type FilePage,
  findImportedFile,
  findUploadedFile,
  listUploadedFiles,
  type NewUploadedFile,
  type UploadedFile,
} from '../store/postgres/uploaded-files/uploaded-files.ts';
import type { Download } from '../util/download.ts';
import { notFound } from '../util/failures.ts';
import type { Deps } from './deps.ts';

export type { UploadedFile };

/** The content of a file that is stored but not listed yet. */
type StoredContent = { id: string; projectId: ProjectId; sizeBytes: number };

/** Files that clients upload through OpenAI's files API, each with its own id. */
export type UploadedFiles = {
  /** Stores the content of a new file as it arrives. It must then be listed or discarded. */
  store(projectId: ProjectId, bytes: AsyncIterable<Uint8Array>): Promise<StoredContent>;
  list(content: StoredContent, file: Omit<NewUploadedFile, keyof StoredContent>): Promise<UploadedFile>;
  discard(content: Pick<StoredContent, 'id' | 'projectId'>): Promise<void>;
  find(projectId: ProjectId, id: string): Promise<UploadedFile | null>;
  /** The file that was imported from a file of another server. */
  findImported(projectId: ProjectId, sourceId: string): Promise<UploadedFile | null>;
  /** @throws Failure if the project has no such file */
  read(projectId: ProjectId, id: string): Promise<UploadedFile>;
  /** By age. @throws Failure if the project has no file of the id `after` */
  page(page: FilePage): Promise<UploadedFile[]>;
  /** @throws Failure if the project has no such file */
  open(projectId: ProjectId, id: string): Promise<{ stream: Readable; sizeBytes: number }>;
  /** The content, which never changes, for a client. @throws Failure if the project has no such file */
  download(projectId: ProjectId, id: string): Promise<Download>;
  /** @throws Failure if the project has no such file */
  delete(projectId: ProjectId, id: string): Promise<void>;
};

/** Where the content of a file is in the blob store. */
export function uploadKey(projectId: ProjectId, id: string): string {
  return `projects/${projectId}/uploads/${id}`;
}

/** Expired files that an upload deletes, so that they do not accumulate. */
const expiredTogether = 100;

export function openUploadedFiles({ postgres, blobs }: Pick<Deps, 'postgres' | 'blobs'>): UploadedFiles {
  const discard: UploadedFiles['discard'] = ({ projectId, id }) => blobs.delete(uploadKey(projectId, id));

  async function read(projectId: ProjectId, id: string): Promise<UploadedFile> {
    const file = await findUploadedFile(postgres, projectId, id);
    if (file === null) throw missing(id);
    return file;
  }

  return {
    async store(projectId, bytes) {
      const expired = await deleteExpiredFiles(postgres, expiredTogether);
      await blobs.deleteMany(expired.map((file) => uploadKey(file.projectId, file.id)));
      const content = { id: newId(), projectId, sizeBytes: 0 };
      await blobs.put(uploadKey(projectId, content.id), counted());
      return content;

      async function* counted() {
        for await (const piece of bytes) {
          content.sizeBytes += piece.length;
          yield piece;
        }
      }
    },

    list: (content, file) => addUploadedFile(postgres, { ...file, ...content }),
    discard,
    find: (projectId, id) => findUploadedFile(postgres, projectId, id),
    findImported: (projectId, sourceId) => findImportedFile(postgres, projectId, sourceId),
    read,

    async page(page) {
      if (page.after !== null) await read(page.projectId, page.after);
      return listUploadedFiles(postgres, page);
    },

    async open(projectId, id) {
      await read(projectId, id);
      const content = await blobs.get(uploadKey(projectId, id));
      if (content === null) throw missing(id); // it has just been deleted
      return content;
    },

    async download(projectId, id) {
      await read(projectId, id);
      return blobDownload(blobs, uploadKey(projectId, id), { tag: id, missing: () => missing(id) });
    },

    async delete(projectId, id) {
      if (!(await deleteUploadedFile(postgres, projectId, id))) throw missing(id);
      await discard({ projectId, id });
    },
  };
}

function missing(id: string) {
  return notFound(`No such File object: ${openAiId('file-', id)}`, { param: 'id' });
}
