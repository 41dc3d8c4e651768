import { randomBytes } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncDirectory } from '../../sync-directory.ts';
import { checkBlobKey } from '../blob-key.ts';
import type { Blobs } from '../blobs.ts';
import type { LocalFiles } from '../local-files.ts';
import { listKeys } from './list-keys.ts';

const unfinishedName = 'unfinished';

/** Stores blobs as files below a directory. */
export function openBlobDirectory(directory: string): Blobs {
  const unfinishedFolder = unfinishedIn(directory);
  return {
    async put(key, bytes) {
      const path = pathOf(directory, key);
      await mkdir(dirname(path), { recursive: true });
      await mkdir(unfinishedFolder, { recursive: true });
      const unfinished = join(unfinishedFolder, randomBytes(12).toString('hex'));
      try {
        await writeDurably(unfinished, bytes);
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true }); // on a full disk, the partial file would use the remaining space
        throw error;
      }
      await syncDirectory(dirname(path)); // otherwise a power failure could lose the new name
    },
    async get(key) {
      const path = pathOf(directory, key);
      const found = await stat(path).catch(ignoreMissing);
      return found ? { stream: createReadStream(path), sizeBytes: found.size } : null;
    },
    async getRange(key, range) {
      const path = pathOf(directory, key);
      return (await stat(path).catch(ignoreMissing)) && createReadStream(path, range);
    },
    async size(key) {
      return (await stat(pathOf(directory, key)).catch(ignoreMissing))?.size ?? null;
    },
    list: (prefix, { after } = {}) => listKeys(directory, { prefix, after, hidden: unfinishedName }),
    async delete(key) {
      await rm(pathOf(directory, key), { force: true });
    },
    async deleteMany(keys) {
      for (const key of keys) await rm(pathOf(directory, key), { force: true });
    },
  };
}

/** The directory itself has the files. */
export function filesOfDirectory(directory: string): LocalFiles {
  return { use: async (prefix, work) => work(pathOf(directory, prefix)) };
}

/** Removes what a process that was killed had begun to write. Only the process that owns the directory may do this. */
export function removeUnfinished(directory: string): void {
  rmSync(unfinishedIn(directory), { recursive: true, force: true });
}

function unfinishedIn(directory: string): string {
  return join(directory, unfinishedName);
}

async function writeDurably(path: string, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function pathOf(directory: string, key: string): string {
  checkBlobKey(key);
  return join(directory, ...key.split('/'));
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
