import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, renameSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Failure } from '../../util/failures.ts';
import type { Blobs } from './blobs.ts';
import type { LocalFiles } from './local-files.ts';

type Entry = {
  bytes: number;
  /** How many work with it now. */
  users: number;
  /** Resolves when its files are complete. */
  complete: Promise<void>;
};

type CacheOptions = {
  /** Folders that nobody uses are removed, the least recently used first, until they take no more than this. */
  bytesMax: number;
  /** Called before bytes are written. @throws Failure if the disk has no room for them */
  requireRoom?: (bytes: number) => void;
};

/**
 * Copies of blobs that are elsewhere, in a directory that belongs to this process. They stay for later uses and later
 * starts. Blobs below a prefix that has been used must not change.
 */
export async function openBlobCache(
  blobs: Pick<Blobs, 'get' | 'list'>,
  directory: string,
  { bytesMax, requireRoom = () => {} }: CacheOptions,
): Promise<LocalFiles> {
  const unfinished = join(directory, 'unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  /** By the names of their folders, the least recently used first. */
  const entries = await foundIn(directory);

  function enter(prefix: string): Entry {
    const name = nameOf(prefix);
    const entry = entries.get(name) ?? fetchInto(name, prefix);
    entry.users++;
    entries.delete(name);
    entries.set(name, entry);
    return entry;
  }

  function fetchInto(name: string, prefix: string): Entry {
    const entry: Entry = { bytes: 0, users: 0, complete: Promise.resolve() };
    entry.complete = fetchBlobs(prefix, join(directory, name), entry).catch((error) => {
      if (entries.get(name) === entry) entries.delete(name);
      throw error;
    });
    return entry;
  }

  async function fetchBlobs(prefix: string, folder: string, entry: Entry): Promise<void> {
    const place = join(unfinished, randomUUID());
    try {
      await mkdir(place);
      for await (const key of blobs.list(`${prefix}/`)) {
        const found = await blobs.get(key);
        if (!found) throw new Failure('unavailable', 'A file was deleted while it was fetched. Try again.');
        requireRoom(found.sizeBytes);
        const path = join(place, key.slice(prefix.length + 1));
        await mkdir(dirname(path), { recursive: true });
        await pipeline(found.stream, createWriteStream(path, { flags: 'wx', flush: true }));
        const { size } = await stat(path);
        if (size !== found.sizeBytes) {
          throw new Failure('unavailable', `A file has ${size} of its ${found.sizeBytes} bytes. Try again.`);
        }
        entry.bytes += size;
      }
      if (entry.bytes === 0) throw new Failure('unavailable', 'There are no files to fetch.');
      await rename(place, folder);
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw error;
    }
  }

  async function evict(): Promise<void> {
    let bytes = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0);
    for (const [name, entry] of entries) {
      if (bytes <= bytesMax) return;
      if (entry.users > 0) continue;
      const place = join(unfinished, randomUUID());
      renameSync(join(directory, name), place); // at once: a new fetch may begin
      bytes -= entry.bytes;
      entries.delete(name);
      await rm(place, { recursive: true, force: true });
    }
  }

  return {
    async use(prefix, work) {
      const entry = enter(prefix);
      const folder = join(directory, nameOf(prefix));
      try {
        await entry.complete;
        const now = new Date();
        await utimes(folder, now, now); // the order of the next start
        return await work(folder);
      } finally {
        entry.users--;
        await evict().catch(() => {}); // the next use tries again
      }
    },
  };
}

function nameOf(prefix: string): string {
  return createHash('sha256').update(prefix).digest('hex').slice(0, 40);
}

/** What an earlier process left: folders are complete, since they get their names last. */
async function foundIn(directory: string): Promise<Map<string, Entry>> {
  const names = (await readdir(directory)).filter((name) => name !== 'unfinished');
  const found = await Promise.all(
    names.map(async (name) => {
      const folder = join(directory, name);
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      return { name, usedAt: (await stat(folder)).mtimeMs, entry: { bytes, users: 0, complete: Promise.resolve() } };
    }),
  );
  return new Map(found.sort((a, b) => a.usedAt - b.usedAt).map(({ name, entry }) => [name, entry]));
}
