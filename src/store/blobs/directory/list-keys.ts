import { opendir } from 'node:fs/promises';
import { join } from 'node:path';

export type Listed = {
  prefix: string;
  /** Only keys after this one. */
  after?: string | undefined;
  /** Not listed: the name of a folder at the top. */
  hidden: string;
};

/** How many names of a folder are in memory. */
const namesMaxByDefault = 50_000;

/**
 * The keys of the files below a directory in their order, as a bucket lists them. A folder with more names than fit into memory
 * is read several times.
 */
export async function* listKeys(
  directory: string,
  { prefix, after = '', hidden }: Listed,
  namesMax = namesMaxByDefault,
): AsyncGenerator<string> {
  const top = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const isWanted = (key: string) =>
    key.startsWith(prefix) && key !== `${hidden}/` && (key > after || after.startsWith(key));

  async function* keysIn(folder: string): AsyncGenerator<string> {
    for (let last = ''; ; ) {
      const keys = await nextKeys(folder, last);
      for (const key of keys) {
        if (key.endsWith('/')) yield* keysIn(key);
        else if (key > after) yield key;
      }
      if (keys.length < namesMax) return;
      last = keys.at(-1)!;
    }
  }

  /** Keys of files, and those of folders with their slash, which decides their place. */
  async function nextKeys(folder: string, last: string): Promise<string[]> {
    const found: string[] = [];
    const opened = await opendir(join(directory, folder)).catch(ignoreMissing);
    for await (const entry of opened ?? []) {
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const key = `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`;
      if (key <= last || !isWanted(key)) continue;
      found.push(key);
      if (found.length >= 2 * namesMax) keepFirst(found, namesMax);
    }
    keepFirst(found, namesMax);
    return found;
  }

  yield* keysIn(top);
}

function keepFirst(keys: string[], count: number): void {
  keys.sort();
  if (keys.length > count) keys.length = count;
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
