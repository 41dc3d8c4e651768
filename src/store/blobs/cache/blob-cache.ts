import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { Failure } from '../../../util/failures.ts';
import { DiskFullError, isDiskFull } from '../../disk/disk-full.ts';
import { lockFile } from '../../file-lock.ts';
import type { Blobs } from '../blobs.ts';
import type { LocalFiles } from '../local-files.ts';
import { addEntry, linkEntry, listEntries, takeOut } from './entries.ts';
import { openOwnFolder, removeAbandoned } from './own-folder.ts';

type CacheOptions = {
  /** Where the blobs are: several stores may share a cache. */
  source: string;
  /** Folders that nobody uses are removed, the least recently used first, until all take no more than this. */
  bytesMax: number;
  /** Called before bytes are written. @throws Failure if the disk has no room for them */
  requireRoom?: (bytes: number) => void;
};

/** How often a process looks whether another one has fetched what it waits for. */
const pollMs = 50;

/**
 * Copies of blobs that are elsewhere, in a directory that several processes of a machine may share. They stay for later
 * uses and later starts. Blobs below a prefix that has been used must not change.
 *
 * Each use gets a folder of its own with hard links, so a copy can be removed at any time. A lock that the kernel ties to
 * a process says who fetches a copy, and whose folders are abandoned.
 */
export async function openBlobCache(
  blobs: Pick<Blobs, 'get' | 'list'>,
  directory: string,
  { source, bytesMax, requireRoom = () => {} }: CacheOptions,
): Promise<LocalFiles & { close(): void }> {
  const [processes, fetching] = [join(directory, 'processes'), join(directory, 'fetching')];
  await mkdir(fetching, { recursive: true });
  const own = openOwnFolder(processes);
  await removeAbandoned(processes);
  const newFolder = () => join(own.path, randomUUID());

  /** Fetches a copy and makes links to its files, or waits for another process that fetches it. */
  async function fetchEntry(name: string, prefix: string, folder: string): Promise<void> {
    const lock = join(fetching, name);
    let release = lockFile(lock);
    while (release === null) {
      await setTimeout(pollMs);
      if (await linkEntry(join(directory, name), folder)) return;
      release = lockFile(lock);
    }
    try {
      if (await linkEntry(join(directory, name), folder)) return; // fetched before this process had the lock
      const fetched = newFolder();
      try {
        await fetchBlobs(prefix, fetched).catch((error) => {
          throw isDiskFull(error) ? new DiskFullError('The disk with the copies of files is full.', error) : error;
        });
        await linkEntry(fetched, folder);
        await addEntry(fetched, join(directory, name));
      } finally {
        await rm(fetched, { recursive: true, force: true });
      }
    } finally {
      await rm(lock, { force: true });
      release();
    }
  }

  async function fetchBlobs(prefix: string, folder: string): Promise<void> {
    let bytes = 0;
    for await (const key of blobs.list(`${prefix}/`)) {
      const found = await blobs.get(key);
      if (!found) throw new Failure('unavailable', 'A file was deleted while it was fetched. Try again.');
      requireRoom(found.sizeBytes);
      const path = join(folder, key.slice(prefix.length + 1));
      await mkdir(dirname(path), { recursive: true });
      await pipeline(found.stream, createWriteStream(path, { flags: 'wx', flush: true }));
      const { size } = await stat(path);
      if (size !== found.sizeBytes) {
        throw new Failure('unavailable', `A file has ${size} of its ${found.sizeBytes} bytes. Try again.`);
      }
      bytes += size;
    }
    if (bytes === 0) throw new Failure('unavailable', 'There are no files to fetch.');
  }

  async function evict(): Promise<void> {
    let entries = await listEntries(directory);
    let bytes = sumOf(entries);
    if (bytes > bytesMax) {
      await removeAbandoned(processes);
      entries = await listEntries(directory);
      bytes = sumOf(entries);
    }
    for (const entry of entries) {
      if (bytes <= bytesMax) return;
      if (entry.isUsed) continue;
      const place = newFolder();
      if (await takeOut(entry.folder, place)) await rm(place, { recursive: true, force: true });
      bytes -= entry.bytes;
    }
  }

  return {
    async use(prefix, work) {
      const name = nameOf(source, prefix);
      const folder = newFolder();
      try {
        if (!(await linkEntry(join(directory, name), folder))) await fetchEntry(name, prefix, folder);
        return await work(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
        await evict().catch(() => {}); // the next use tries again
      }
    },
    close: () => own.close(),
  };
}

function sumOf(entries: { bytes: number }[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes, 0);
}

function nameOf(source: string, prefix: string): string {
  return createHash('sha256').update(`${source}\n${prefix}`).digest('hex').slice(0, 40);
}
