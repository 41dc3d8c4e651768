import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of all files below a directory; 0 where there is none. Files that go away meanwhile do not count. */
export async function directoryBytes(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  let total = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const found = await lstat(join(entry.parentPath, entry.name)).catch(() => null);
    total += found?.size ?? 0;
  }
  return total;
}
