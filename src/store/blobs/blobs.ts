import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { syncDirectory } from '../sync-directory.ts';

/** The store of large files: four operations on keys such as `projects/<id>/files/<digest>`. */
export type Blobs = {
  /** Stores bytes under a key, replacing existing ones; resolves when they are durable. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The bytes under a key as a stream, or null if there are none. */
  get(key: string): Promise<{ stream: Readable; sizeBytes: number } | null>;
  /** All keys below a prefix. */
  list(prefix: string): AsyncIterable<string>;
  delete(key: string): Promise<void>;
};

/** Stores blobs as files below a directory. */
export function openBlobDirectory(directory: string): Blobs {
  return {
    async put(key, bytes) {
      const path = pathOf(directory, key);
      await mkdir(dirname(path), { recursive: true });
      const unfinished = `${path}.${randomBytes(6).toString('hex')}.part`;
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
    async *list(prefix) {
      const below = await readdir(directory, { recursive: true, withFileTypes: true }).catch(ignoreMissing);
      for (const entry of below ?? []) {
        if (!entry.isFile() || entry.name.endsWith('.part')) continue;
        const key = join(entry.parentPath, entry.name)
          .slice(directory.length + 1)
          .replaceAll('\\', '/');
        if (key.startsWith(prefix)) yield key;
      }
    },
    async delete(key) {
      await rm(pathOf(directory, key), { force: true });
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Keys consist of plain segments; anything else could leave the directory. */
function pathOf(directory: string, key: string): string {
  const segments = key.split('/');
  for (const segment of segments) {
    if (!/^[\w=][\w.=-]*$/.test(segment)) {
      const shown = createHash('sha256').update(key).digest('hex').slice(0, 8);
      throw new Error(`A blob key may only hold letters, digits and _ . = - in its segments (key ${shown}).`);
    }
  }
  return join(directory, ...segments);
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
