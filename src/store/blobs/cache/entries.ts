import { link, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** A folder of the cache with files that are complete and never change. */
type Entry = {
  folder: string;
  bytes: number;
  usedAt: number;
  /** Whether a process has links to its files. */
  isUsed: boolean;
};

/**
 * Makes links to the files of an entry in a new folder: they stay there when the entry is removed.
 * @returns false, without a folder, if there is no such entry or it is removed meanwhile
 */
export async function linkEntry(entry: string, folder: string): Promise<boolean> {
  const isComplete = await linkFiles(entry, folder);
  if (!isComplete) await rm(folder, { recursive: true, force: true });
  return isComplete;
}

async function linkFiles(entry: string, folder: string): Promise<boolean> {
  try {
    const before = await stat(entry);
    for (const path of await filesBelow(entry)) {
      const copy = join(folder, relative(entry, path));
      await mkdir(dirname(copy), { recursive: true });
      await link(path, copy);
    }
    const now = new Date();
    await utimes(entry, now, now);
    return (await stat(entry)).ino === before.ino; // otherwise the list of files may lack some
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Gives a folder with complete files its name in the cache, unless another process has done so. */
export async function addEntry(folder: string, entry: string): Promise<void> {
  await rename(folder, entry).catch((error) => {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
  });
}

/** Moves an entry out of the cache. @returns whether it was there */
export async function takeOut(entry: string, to: string): Promise<boolean> {
  return rename(entry, to).then(
    () => true,
    (error) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );
}

/** All entries, the least recently used first. */
export async function listEntries(directory: string): Promise<Entry[]> {
  const names = (await readdir(directory)).filter((name) => entryName.test(name));
  const found = await Promise.all(names.map((name) => examine(join(directory, name)).catch(nullIfMissing)));
  return found.filter((entry) => entry !== null).sort((a, b) => a.usedAt - b.usedAt);
}

const entryName = /^[0-9a-f]{40}$/;

async function examine(folder: string): Promise<Entry> {
  const files = await Promise.all((await filesBelow(folder)).map((path) => stat(path)));
  return {
    folder,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    usedAt: (await stat(folder)).mtimeMs,
    isUsed: files.some(({ nlink }) => nlink > 1),
  };
}

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
